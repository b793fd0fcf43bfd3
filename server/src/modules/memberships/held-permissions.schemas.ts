import { z } from 'zod'
import { NullableTimestamp } from '../../platform/http/wire-types.ts'

const PackedRule = z.array(z.union([z.string(), z.number(), z.record(z.string(), z.unknown())]))

export const OwnPermissions = z.object({
  data: z.object({
    permissions: z.array(PackedRule),
    memberships: z.array(
      z.object({
        id: z.uuid(),
        actorGroupId: z.uuid().optional(),
        actorUserId: z.uuid().optional(),
        roles: z.array(z.object({ role: z.string() })),
      }),
    ),
  }),
})

export const PermissionSources = z.object({
  sources: z.array(
    z.object({
      id: z.uuid(),
      type: z.enum(['role', 'group_role', 'additional_privilege']),
      name: z.string(),
      slug: z.string(),
      groupId: z.uuid().optional(),
      groupName: z.string().optional(),
      isTemporary: z.boolean(),
      temporaryAccessStartTime: NullableTimestamp,
      temporaryAccessEndTime: NullableTimestamp,
      permissions: z.array(PackedRule),
    }),
  ),
})
