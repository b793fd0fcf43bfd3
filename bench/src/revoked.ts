import pg from 'pg'

/** Through the API this would take hours. The serial numbers differ, the entries need not. */
export const fillRevoked = async (
  databaseUrl: string,
  authorityId: string,
  { from, to }: { from: number; to: number },
): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(
      `insert into revocations (ca_id, serial_number, revoked_at, reason, not_after, entry, listed_in)
      select $1, '5' || md5(i::text), now(), 4, '2100-01-01',
        decode('3021021005' || repeat('00', 15) || '170d3236313131353035303030305a', 'hex'), 1
      from generate_series($2::int, $3::int - 1) i`,
      [authorityId, from, to],
    )
  } finally {
    await client.end()
  }
}
