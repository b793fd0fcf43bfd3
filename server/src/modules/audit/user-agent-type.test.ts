import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { userAgentTypeOf } from './user-agent-type.ts'

describe('the type of a user agent', () => {
  for (const [userAgent, type] of [
    ['cli', 'cli'],
    ['cli/1.0', 'other'],
    ['terraform', 'terraform'],
    ['terraform-provider', 'other'],
    ['k8-operator', 'k8-operator'],
    ['k8-operator/v0.9', 'k8-operator'],
    ['k8-operators', 'other'],
    ['Mozilla/5.0 (X11; Linux x86_64)', 'web'],
    ['my InfisicalNodeSDK 3', 'InfisicalNodeSDK'],
    ['InfisicalPythonSDK', 'InfisicalPythonSDK'],
    ['infisical-go-sdk', 'other'],
    ['', 'other'],
  ] as const) {
    test(`'${userAgent}' is ${type}`, () => assert.equal(userAgentTypeOf(userAgent), type))
  }
})
