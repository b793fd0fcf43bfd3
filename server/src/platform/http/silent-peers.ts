import { readFile } from 'node:fs/promises'
import ipaddr from 'ipaddr.js'

/** Linux tells there, for each connection, how often it has sent or probed again without an answer. */
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6']
/** One may get lost on any network. */
const ATTEMPTS_MIN = 2
const SILENT_MS_MAX = 30_000

/**
 * Finds peers that vanished without a word. What is written to them disappears in the kernel, which goes on sending it
 * for a quarter of an hour. Other systems than Linux do not tell; there, that quarter of an hour it is.
 */
export class SilentPeers {
  readonly #now: () => number
  #silentSince = new Map<string, number>()

  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /** Those that have been silent for long, as `peerOf` names them. */
  async look(): Promise<ReadonlySet<string>> {
    const tables = await Promise.all(TABLES.map((file) => readFile(file, 'utf8').catch(() => '')))
    return this.judge(tables.flatMap(silentIn))
  }

  /** Whoever is heard of in between is not silent. */
  judge(peers: readonly string[]): ReadonlySet<string> {
    const now = this.#now()
    this.#silentSince = new Map(peers.map((peer) => [peer, this.#silentSince.get(peer) ?? now]))
    return new Set(peers.filter((peer) => now - (this.#silentSince.get(peer) ?? now) >= SILENT_MS_MAX))
  }
}

type Peer = { remoteAddress?: string | undefined; remotePort?: number | undefined }

export const peerOf = ({ remoteAddress = '', remotePort = 0 }: Peer): string =>
  ipaddr.isValid(remoteAddress) ? `${ipaddr.process(remoteAddress).toString()} ${remotePort}` : ''

/** `sl: local remote state tx:rx timer:when retransmissions user probes …`; retransmissions in hexadecimal. */
export const silentIn = (table: string): string[] =>
  table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , , , , again = '0', , probes = '0']) => parseInt(again, 16) + Number(probes) >= ATTEMPTS_MIN)
    .map(([, , remote = '']) => endpointOf(remote))

/** Addresses are given in words of four bytes, each in the order of this machine. */
const endpointOf = (text: string): string => {
  const [address = '', port = ''] = text.split(':')
  const bytes = (address.match(/.{8}/g) ?? []).flatMap((word) => [...Buffer.from(word, 'hex')].reverse())
  const remoteAddress = bytes.length === 4 || bytes.length === 16 ? ipaddr.fromByteArray(bytes).toString() : ''
  return peerOf({ remoteAddress, remotePort: parseInt(port, 16) })
}
