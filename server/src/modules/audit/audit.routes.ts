import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import type { AuditSearch } from './audit-search.service.ts'
import { AuditLogList, AuditLogQuery } from './audit.schemas.ts'

const endpoint = endpoints({ tag: 'Audit log', auth: ['user', 'identity'] })

export const auditRoutes =
  (search: AuditSearch): Routes =>
  (app) => {
    app.get(
      '/api/v1/organization/audit-logs',
      endpoint('listAuditLogs', { querystring: AuditLogQuery, response: { 200: AuditLogList } }),
      async ({ actor, query }) => ({ auditLogs: await search.list(actor, query) }),
    )
  }
