export type UserAgentType = (typeof USER_AGENT_TYPES)[number]

// wire: the names of the two kits are part of the interface.
export const USER_AGENT_TYPES = [
  'web',
  'cli',
  'k8-operator',
  'terraform',
  'other',
  'InfisicalPythonSDK',
  'InfisicalNodeSDK',
] as const

/** What kind of client a `User-Agent` header speaks of. */
export const userAgentTypeOf = (userAgent: string): UserAgentType => {
  if (userAgent === 'cli' || userAgent === 'terraform') return userAgent
  if (userAgent === 'k8-operator' || userAgent.startsWith('k8-operator/')) return 'k8-operator'
  const lowerCase = userAgent.toLowerCase()
  if (lowerCase.includes('mozilla')) return 'web'
  if (lowerCase.includes('infisicalnodesdk')) return 'InfisicalNodeSDK'
  if (lowerCase.includes('infisicalpythonsdk')) return 'InfisicalPythonSDK'
  return 'other'
}
