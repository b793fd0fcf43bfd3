import type { Cluster } from './cluster.ts'
import { PORT } from './socket-directory.ts'

/** For tests: a crash of the machine may destroy everything. */
const EPHEMERAL = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' }

const QUIET_LOG = {
  // Failed statements are the client's to report, and may show what they were about.
  log_min_messages: 'log',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  log_timezone: 'UTC',
}

const settingsOf = ({ name, socketDirectory, ephemeral }: Cluster) => ({
  cluster_name: name,
  listen_addresses: '',
  // A list of names; quoted, so that a comma or space in the path is part of it.
  unix_socket_directories: `"${socketDirectory.replaceAll('"', '""')}"`,
  unix_socket_permissions: '0700',
  port: PORT,
  max_connections: 100,
  shared_buffers: '128MB',
  huge_pages: 'off',
  max_wal_size: '512MB',
  jit: 'off',
  // Reads of a small database are served from memory; the workers would only take some.
  io_method: 'sync',
  max_logical_replication_workers: 0,
  // Ends what a killed server was still running.
  client_connection_check_interval: '1s',
  timezone: 'UTC',
  ...QUIET_LOG,
  ...(ephemeral ? EPHEMERAL : DURABLE),
})

/** On the command line rather than in a file, so that they follow the program and not the day the cluster was made. */
export const postmasterArguments = (cluster: Cluster): string[] => [
  '-D',
  cluster.directory,
  ...Object.entries(settingsOf(cluster)).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
]
