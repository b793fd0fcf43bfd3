import { AccessTokenService } from '../modules/access-tokens/access-tokens.service.ts'
import { LoginRecorder } from '../modules/access-tokens/login-recorder.ts'
import { MethodAccess } from '../modules/access-tokens/method-access.service.ts'
import { IdentityService } from '../modules/identities/identities.service.ts'
import { OidcAuthLogin } from '../modules/oidc-auth/login.service.ts'
import { OidcAuthService } from '../modules/oidc-auth/oidc-auth.service.ts'
import { ProviderKeys } from '../modules/oidc-auth/provider-keys.ts'
import { ListedTokenService } from '../modules/token-auth/listed-tokens.service.ts'
import { TokenAuthService } from '../modules/token-auth/token-auth.service.ts'
import { TokenUses } from '../modules/token-auth/token-uses.ts'
import { ClientSecretService } from '../modules/universal-auth/client-secrets.service.ts'
import { UniversalAuthLogin } from '../modules/universal-auth/login.service.ts'
import { UniversalAuthService } from '../modules/universal-auth/universal-auth.service.ts'
import { Outbound } from '../platform/outbound/outbound.ts'
import type { Base } from './base.ts'

/** How machines come in. */
export const createMachines = (base: Base) => {
  const identities = new IdentityService(base)
  const tokenUses = new TokenUses(base)
  const { tokenAgeSecondsMax } = base.config
  const accessTokens = new AccessTokenService({ ...base, uses: tokenUses, tokenAgeSecondsMax })
  const machineLogins = new LoginRecorder(base)
  const shared = { ...base, accessTokens, access: new MethodAccess(base), logins: machineLogins }

  const clientSecrets = new ClientSecretService(shared)
  const outbound = new Outbound({ allowedCidrs: base.config.outboundAllowedCidrs })
  const providerKeys = new ProviderKeys({ ...base, outbound })
  return {
    identities,
    accessTokens,
    tokenUses,
    machineLogins,
    clientSecrets,
    universalAuth: new UniversalAuthService(shared),
    universalAuthLogin: new UniversalAuthLogin({ ...shared, clientSecrets }),
    tokenAuth: new TokenAuthService(shared),
    listedTokens: new ListedTokenService(shared),
    providerKeys,
    oidcAuth: new OidcAuthService({ ...shared, outbound }),
    oidcAuthLogin: new OidcAuthLogin({ ...shared, providerKeys }),
  }
}
