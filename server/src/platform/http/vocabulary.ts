/** The product's own words for this layer, added by declaration merging: `actor`, `authKind`, `rateClass`. */
export interface Vocabulary {}

/** Who makes the request, as `authenticate` found out. */
export type Actor = Vocabulary extends { actor: infer Word } ? Word : object

/** A kind of caller that a route may let in. */
export type AuthKind = Vocabulary extends { authKind: infer Word extends string } ? Word : string

/** A group of routes that share one limit of requests per minute. */
export type RateClass = Vocabulary extends { rateClass: infer Word extends string } ? Word : string

/** Who may call a route. On a public one no credential is looked at. */
export type RouteAuth = 'public' | readonly AuthKind[]
