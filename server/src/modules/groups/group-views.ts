import { z } from 'zod'
import type { Group, GroupWithRole } from './groups.service.ts'
import { MemberPage } from './groups.schemas.ts'

/** In the words of the wire. */
export const toGroup = ({ organizationId, ...group }: Group) => ({ ...group, orgId: organizationId })

export const toGroupWithRole = ({ role, customRoleId, ...group }: GroupWithRole) => ({
  ...toGroup(group),
  role: role ?? 'no-access',
  roleId: customRoleId,
  customRoleSlug: group.customRoleSlug,
})

const rendered = new WeakMap<MemberPage, { json: string }>()

/** A page that is kept is rendered once. */
export const renderMemberPage = (page: MemberPage): string => {
  let kept = rendered.get(page)
  if (!kept) rendered.set(page, (kept = { json: JSON.stringify(z.encode(MemberPage, page)) }))
  return kept.json
}
