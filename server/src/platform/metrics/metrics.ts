import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** What the process tells Prometheus. Labels are route patterns and fixed words, never values from requests. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests = new Histogram({
    name: 'holdfast_http_request_seconds',
    help: 'Time from request to response, by route',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
    registers: [this.#registry],
  })

  constructor() {
    collectDefaultMetrics({ register: this.#registry })
  }

  observeRequest(route: string, method: string, status: number, seconds: number): void {
    this.#requests.observe({ method, route, status }, seconds)
  }

  /** A value that is asked for when the metrics are read; NaN when it cannot be known then. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void {
    this.#registry.registerMetric(
      new Gauge({
        name: `holdfast_${name}`,
        help,
        registers: [],
        async collect() {
          this.set(
            await Promise.resolve()
              .then(read)
              .catch(() => NaN),
          )
        },
      }),
    )
  }

  counter(name: string, help: string): Counter {
    return new Counter({ name: `holdfast_${name}_total`, help, registers: [this.#registry] })
  }

  histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name: `holdfast_${name}`, help, buckets, registers: [this.#registry] })
  }

  render(): Promise<string> {
    return this.#registry.metrics()
  }

  get contentType(): string {
    return this.#registry.contentType
  }
}
