/**
 * The events that clients of this interface know by name. The log can be asked for these before any has happened;
 * what has happened can be asked for under any name.
 */
export const KNOWN_EVENT_TYPES: ReadonlySet<string> = new Set(
  `
  create-identity update-identity delete-identity
  create-identity-org-membership update-identity-org-membership delete-identity-org-membership
  create-org-role update-org-role delete-org-role
  select-organization select-sub-organization org-admin-bypassed-sso

  add-identity-universal-auth update-identity-universal-auth get-identity-universal-auth revoke-identity-universal-auth
  login-identity-universal-auth login-identity-universal-auth-failed clear-identity-universal-auth-lockouts
  create-identity-universal-auth-client-secret revoke-identity-universal-auth-client-secret
  get-identity-universal-auth-client-secret get-identity-universal-auth-client-secret-by-id
  add-identity-oidc-auth update-identity-oidc-auth get-identity-oidc-auth revoke-identity-oidc-auth
  login-identity-oidc-auth login-identity-oidc-auth-failed
  add-identity-token-auth update-identity-token-auth get-identity-token-auth revoke-identity-token-auth
  create-token-identity-token-auth update-token-identity-token-auth get-tokens-identity-token-auth
  get-token-identity-token-auth

  create-group update-group delete-group unlink-group-from-sub-org link-group-to-sub-org update-group-org-membership
  add-user-to-group remove-user-from-group add-identity-to-group remove-identity-from-group
  add-group-to-project update-group-project-membership remove-group-from-project
  create-identity-project-membership update-identity-project-membership delete-identity-project-membership
  add-project-members remove-project-member
  create-project-role update-project-role delete-project-role
  create-identity-project-additional-privilege update-identity-project-additional-privilege
  delete-identity-project-additional-privilege
  get-project-member-permission-audit get-project-identity-permission-audit

  get-secrets get-secret create-secret update-secret delete-secret create-secrets update-secrets delete-secrets
  move-secrets duplicate-secret secret-approval-request redact-secret-version-value
  create-folder update-folder delete-folder move-folder
  create-environment update-environment delete-environment restore-environment get-environment
  create-project update-project delete-project
  create-secret-import update-secret-import delete-secret-import get-secret-imports get-secret-import
  create-webhook update-webhook-status delete-webhook webhook-triggered subscribe-project-events
  get-project-pit-commits get-project-pit-commit-count get-project-pit-commit-changes pit-rollback-commit
  pit-revert-commit pit-get-folder-state pit-compare-folder-states pit-process-new-commit-raw

  create-certificate-authority update-certificate-authority delete-certificate-authority get-certificate-authority
  get-certificate-authorities get-certificate-authority-crls get-certificate-authority-csr generate-ca-certificate
  sign-intermediate renew-certificate-authority import-certificate-authority-cert update-cert-manager-active-project
  create-certificate-template update-certificate-template delete-certificate-template
  create-certificate-policy update-certificate-policy delete-certificate-policy
  create-certificate-profile update-certificate-profile delete-certificate-profile
  issue-cert sign-cert import-cert delete-cert revoke-cert unrevoke-cert
  get-cert update-cert renew-certificate update-certificate-renewal-config get-cert-body get-cert-bundle get-cert-private-key export-cert-pkcs12
  issue-certificate-from-profile sign-certificate-from-profile order-certificate-from-profile

  install-license remove-license
  view-audit-logs refuse-request
  `
    .trim()
    .split(/\s+/),
)
