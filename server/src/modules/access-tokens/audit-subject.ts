export type AuditSubject = { id: string; organizationId: string; projectId: string | null }

/** What an audit event says of the identity that it is about: whose log it belongs to, and which one it is. */
export const about = ({ id, organizationId, projectId }: AuditSubject, metadata: object = {}) => ({
  organizationId,
  ...(projectId !== null && { projectId }),
  metadata: { identityId: id, ...metadata },
})
