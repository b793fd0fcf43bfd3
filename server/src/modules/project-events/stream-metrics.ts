import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { StreamHub } from './stream-hub.ts'

const DELIVERY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

export const measureStreams = (metrics: Metrics, hub: StreamHub): void => {
  metrics.gauge('event_streams', 'Open event streams of this process', () => hub.openStreams)
  const sent = metrics.counter('event_stream_messages_sent', 'Messages written to event streams, pings not counted')
  const dropped = metrics.counter('event_stream_readers_dropped', 'Event streams ended because nobody read them')
  const delivery = metrics.histogram(
    'event_stream_delivery_seconds',
    'From when a change was appended in its transaction, shortly before the commit, until it was written to the streams of this process',
    DELIVERY_SECONDS,
  )
  hub.observer = {
    sent: (messages) => sent.inc(messages),
    dropped: () => dropped.inc(),
    delivered: (seconds) => delivery.observe(seconds),
  }
}
