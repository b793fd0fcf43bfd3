/** What a password must be like. Clients are given the list, to tell people while they type. */
export type Requirement = {
  code: string
  /** In a list of what is asked for. */
  message: string
  /** When it is not met. */
  validationMessage: string
  /** Shown at once, not only when it is not met. */
  isPrimary: boolean
  /** At least one of them must match, or none where `shouldMatch` is false. */
  patterns: readonly string[]
  maxConsecutiveCharacters?: number
  shouldMatch: boolean
}

const PASSWORD_LENGTH_MIN = 14
const PASSWORD_LENGTH_MAX = 100
const REPEATED_MAX = 3

const PASSWORD_REQUIREMENTS: readonly Requirement[] = [
  {
    code: 'min-length',
    message: `at least ${PASSWORD_LENGTH_MIN} characters`,
    validationMessage: `The password must have at least ${PASSWORD_LENGTH_MIN} characters`,
    isPrimary: true,
    patterns: [`^[\\s\\S]{${PASSWORD_LENGTH_MIN},}$`],
    shouldMatch: true,
  },
  {
    code: 'max-length',
    message: `at most ${PASSWORD_LENGTH_MAX} characters`,
    validationMessage: `The password must have at most ${PASSWORD_LENGTH_MAX} characters`,
    isPrimary: false,
    patterns: [`^[\\s\\S]{0,${PASSWORD_LENGTH_MAX}}$`],
    shouldMatch: true,
  },
  {
    code: 'letter',
    message: 'at least 1 letter',
    validationMessage: 'The password must have at least 1 letter',
    isPrimary: true,
    patterns: ['[\\p{L}]'],
    shouldMatch: true,
  },
  {
    code: 'number-or-special',
    message: 'at least 1 digit or special character',
    validationMessage: 'The password must have at least 1 digit or special character',
    isPrimary: true,
    patterns: ['[^\\p{L}\\s]'],
    shouldMatch: true,
  },
  {
    code: 'repeated-characters',
    message: `at most ${REPEATED_MAX} equal characters in a row`,
    validationMessage: `The password must not have more than ${REPEATED_MAX} equal characters, or whitespace, in a row`,
    isPrimary: false,
    patterns: [`([\\s\\S])\\1{${REPEATED_MAX}}`, `\\s{${REPEATED_MAX + 1}}`],
    maxConsecutiveCharacters: REPEATED_MAX,
    shouldMatch: false,
  },
  {
    code: 'control-characters',
    message: 'no line break, tab or backslash',
    validationMessage: 'The password must not have a line break, a tab or a backslash',
    isPrimary: false,
    patterns: ['[\\n\\r\\t\\\\]'],
    shouldMatch: false,
  },
]

const FLAGS = 'u'
const compiled = PASSWORD_REQUIREMENTS.map((requirement) => ({
  ...requirement,
  expressions: requirement.patterns.map((pattern) => new RegExp(pattern, FLAGS)),
}))

/** What the wire tells of it. */
export const PASSWORD_POLICY = {
  requirements: PASSWORD_REQUIREMENTS.map((requirement) => ({
    ...requirement,
    patterns: [...requirement.patterns],
    flags: FLAGS,
  })),
}

/** Everything that is wrong with a password. Of one that is far too long nothing else is looked at. */
export const passwordFaults = (password: string): string[] =>
  compiled
    .filter(({ code }) => password.length <= 2 * PASSWORD_LENGTH_MAX || code === 'max-length')
    .filter(({ expressions, shouldMatch }) => expressions.some((one) => one.test(password)) !== shouldMatch)
    .map(({ validationMessage }) => validationMessage)
