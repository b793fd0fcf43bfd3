import type { HttpServer } from './route.ts'

const ALL_HELD_MS = 10_000

/** Stops accepting, lets requests in flight finish, then closes what is left. The framework says `connection: close` meanwhile. */
export const drain = async (app: HttpServer, { timeoutMs = ALL_HELD_MS } = {}): Promise<void> => {
  const timer = setTimeout(() => app.server.closeAllConnections(), timeoutMs)
  try {
    await app.close()
  } finally {
    clearTimeout(timer)
  }
}
