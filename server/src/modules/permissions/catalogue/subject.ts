import type { ConditionSet } from './condition-sets.ts'

export type Product = 'secret-manager' | 'cert-manager' | 'kms' | 'secret-scanning'

/** One kind of thing that rules speak about. */
export type Subject = {
  readonly actions: readonly string[]
  /** Undefined where rules take no conditions; such rules cannot be inverted either. */
  readonly conditions: ConditionSet | undefined
  /** Where the console offers it. Rules are accepted in projects of every type. */
  readonly products: readonly Product[]
}

export type Catalogue = Readonly<Record<string, Subject>>

export const CRUD = ['read', 'create', 'edit', 'delete'] as const
export const ALL_PRODUCTS = ['secret-manager', 'cert-manager', 'kms', 'secret-scanning'] as const
const ALL_BUT_SECRETS = ['cert-manager', 'kms', 'secret-scanning'] as const

const plain =
  (products: readonly Product[]) =>
  <const Actions extends readonly string[]>(actions: Actions) => ({ actions, conditions: undefined, products })

const conditional =
  (products: readonly Product[]) =>
  <const Actions extends readonly string[], const Conditions extends ConditionSet>(
    actions: Actions,
    conditions: Conditions,
  ) => ({ actions, conditions, products })

export const anywhere = { plain: plain(ALL_PRODUCTS), conditional: conditional(ALL_PRODUCTS) }
export const inSecrets = { plain: plain(['secret-manager']), conditional: conditional(['secret-manager']) }
export const inCertificates = { plain: plain(['cert-manager']), conditional: conditional(['cert-manager']) }
export const inKms = { plain: plain(['kms']) }
export const inScanning = { plain: plain(['secret-scanning']) }
export const outsideSecrets = { plain: plain(ALL_BUT_SECRETS) }
export const withConnections = { conditional: conditional(['secret-manager', 'cert-manager', 'secret-scanning']) }
