/** The PostgreSQL of this test run: the runner starts one and names it here. */
export const testPostgresUrl = (): Promise<string> => {
  const url = process.env['HOLDFAST_TEST_POSTGRES_URL']
  if (url === undefined) throw new Error('HOLDFAST_TEST_POSTGRES_URL is not set: run the tests through `npm test`')
  return Promise.resolve(url)
}
