type Subject = { id: string; organizationId: string; projectId: string | null }

/** What an audit event says of the identity that it is about: whose log it belongs to, and which one it is. */
export const about = ({ id, organizationId, projectId }: Subject, metadata: object = {}) => ({
  organizationId,
  ...(projectId !== null && { projectId }),
  metadata: { identityId: id, ...metadata },
})
