import js from '@eslint/js'
import tseslint from 'typescript-eslint'

const limits = (maxLines) => ({
  'max-lines': ['error', { max: maxLines }],
  'max-lines-per-function': ['error', { max: 40 }],
  'max-params': ['error', 4],
})

/** Files that may break a tail limit, each with its reason. */
const exceptions = [
  {
    files: ['server/src/config.ts', 'server/test/**/*.ts', 'e2e/**/*.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  // A table of routes is a list; each handler in it stays short.
  { files: ['**/*routes.ts'], rules: { 'max-lines-per-function': 'off' } },
]

export default tseslint.config(
  { ignores: ['**/dist/**', '**/data/**', '**/node_modules/**'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      ...limits(300),
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only config.ts reads the environment.' },
      ],
      'no-console': 'error',
      eqeqeq: 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-empty-object-type': ['error', { allowInterfaces: 'always' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    files: ['**/*.test.ts', '**/test/**/*.ts', 'e2e/**/*.ts'],
    rules: {
      ...limits(400),
      // A describe block is a chapter, not a function.
      'max-lines-per-function': 'off',
      // node:test returns promises that its own runner awaits.
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            {
              from: 'package',
              name: ['test', 'describe', 'it', 'before', 'after', 'beforeEach', 'afterEach', 'suite'],
              package: 'node:test',
            },
          ],
        },
      ],
      // A test reads whatever the wire sends.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['**/*.{js,mjs}'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        fetch: 'readonly',
        performance: 'readonly',
      },
    },
  },
  ...exceptions,
)
