import type { Profile, ProfileInUse } from './profiles.store.ts'

export const toProfile = (profile: Profile) => ({
  ...profile,
  enrollmentType: 'api' as const,
  estConfigId: null,
  acmeConfigId: null,
  scepConfigId: null,
  externalConfigs: null,
})

export const toListedProfile = (profile: ProfileInUse) => {
  const { caId, caName, caStatus, projectId, apiConfig, apiConfigId } = profile
  return {
    ...toProfile(profile),
    certificateAuthority:
      caId && caName !== null && caStatus !== null
        ? { id: caId, projectId, status: caStatus, name: caName, isExternal: false as const }
        : null,
    apiConfig:
      apiConfig && apiConfigId
        ? { id: apiConfigId, autoRenew: apiConfig.autoRenew, renewBeforeDays: apiConfig.renewBeforeDays ?? null }
        : null,
  }
}

export const toDetailedProfile = (profile: ProfileInUse) => ({
  ...toListedProfile(profile),
  certificatePolicy: {
    ...profile.rules,
    id: profile.certificatePolicyId,
    projectId: profile.projectId,
    name: profile.policyName,
    description: profile.policyDescription,
    createdAt: profile.policyCreatedAt,
    updatedAt: profile.policyUpdatedAt,
  },
})
