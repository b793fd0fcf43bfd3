import { DEMO_PROJECT, DEMO_SECRET, type DemoLogin } from './demo-organization.ts'

/** What to paste to see the example at work: each block of lines is one command, at the beginning of its lines. */
export const demoCommands = ({ projectId, clientId, clientSecret }: DemoLogin, url: string): string => {
  const { key, environment } = DEMO_SECRET
  const place = `projectId=${projectId}&environment=${environment}`
  const change = JSON.stringify({ projectId, environment, secretValue: 'Good morning' })
  return `
  Paste this into another terminal, in this folder:

export HOLDFAST_CLIENT_ID='${clientId}' HOLDFAST_CLIENT_SECRET='${clientSecret}'

  1. Read a secret with curl:

TOKEN=$(printf 'clientId=%s&clientSecret=%s' "$HOLDFAST_CLIENT_ID" "$HOLDFAST_CLIENT_SECRET" \\
  | curl -s -d @- ${url}/api/v1/auth/universal-auth/login | node -pe 'JSON.parse(fs.readFileSync(0)).accessToken')
curl -s -H "Authorization: Bearer $TOKEN" '${url}/api/v4/secrets/${key}?${place}' \\
  | node -pe 'JSON.parse(fs.readFileSync(0)).secret.secretValue'

  2. Read it with @infisical/sdk:

node --input-type=module -e '
import { InfisicalSDK } from "@infisical/sdk"
const { HOLDFAST_CLIENT_ID: clientId, HOLDFAST_CLIENT_SECRET: clientSecret } = process.env
const client = new InfisicalSDK({ siteUrl: "${url}" })
await client.auth().universalAuth.login({ clientId, clientSecret })
const where = { projectId: "${projectId}", environment: "${environment}", secretName: "${key}" }
console.log((await client.secrets().getSecret(where)).secretValue)'

  3. Watch the changes of the project; Ctrl-C ends it:

npx holdfast events tail --url ${url} --project ${DEMO_PROJECT}

  To see one, change a secret meanwhile, in the terminal of the first command:

curl -s -o /dev/null -X PATCH -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '${change}' ${url}/api/v4/secrets/GREETING
`
}
