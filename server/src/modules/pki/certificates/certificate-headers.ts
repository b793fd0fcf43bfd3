/** On whatever carries a private key: nobody on the way keeps a copy. */
export const NO_STORE = {
  'cache-control': 'no-store, no-cache, must-revalidate, proxy-revalidate',
  pragma: 'no-cache',
  expires: '0',
  'surrogate-control': 'no-store',
} as const
