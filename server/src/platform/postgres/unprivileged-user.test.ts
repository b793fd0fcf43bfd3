import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseUsers } from './unprivileged-user.ts'

test('users are read from /etc/passwd, whatever else stands in it', () => {
  const passwd =
    '# comment\nroot:x:0:0:root:/root:/bin/sh\n\nnobody:*:-2:-2::/:/bin/false\nbroken:x:a:1\n+::::::\npostgres:x:70:70:::\n'
  assert.deepEqual(parseUsers(passwd), [
    { name: 'root', uid: 0, gid: 0 },
    { name: 'nobody', uid: 4294967294, gid: 4294967294 },
    { name: 'postgres', uid: 70, gid: 70 },
  ])
})
