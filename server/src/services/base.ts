import type { Foundation } from '../foundation.ts'
import { AuditSearch } from '../modules/audit/audit-search.service.ts'
import { AuditLog } from '../modules/audit/audit.service.ts'
import { AuditRetention } from '../modules/audit/retention.ts'
import { AuditSealer } from '../modules/audit/sealer.ts'
import { LicenseService } from '../modules/licenses/licenses.service.ts'
import { OrganizationMemberService } from '../modules/organizations/members.service.ts'
import { OrganizationRoleService } from '../modules/organizations/organization-roles.service.ts'
import { OrganizationService } from '../modules/organizations/organizations.service.ts'
import { PermissionService } from '../modules/permissions/permissions.service.ts'
import { UserService } from '../modules/users/users.service.ts'

export type Base = ReturnType<typeof createBase>

/** Who there is and what they may do, for all that follows. */
export const createBase = (foundation: Foundation) => {
  const permissions = new PermissionService(foundation)
  const audit = new AuditLog(foundation)
  const retentionDays = foundation.config.auditRetentionDays
  const auditSearch = new AuditSearch({ ...foundation, permissions, audit, retentionDays })
  const auditSealer = new AuditSealer(foundation)
  const auditRetention = new AuditRetention({ ...foundation, retentionDays })

  const licenses = new LicenseService({ ...foundation, audit })
  const shared = { ...foundation, permissions, audit, licenses, auditSearch, auditSealer, auditRetention }
  const organizations = new OrganizationService(shared)
  const organizationRoles = new OrganizationRoleService({ ...shared, organizations })
  const organizationMembers = new OrganizationMemberService({ ...shared, organizations })
  const users = new UserService(shared)
  return { ...shared, organizations, organizationRoles, organizationMembers, users }
}
