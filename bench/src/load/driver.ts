import { type Load, runLoad } from './load.ts'

// A process of its own: what makes the load neither delays what measures nor is delayed by it.
process.on('message', (load: Load) => {
  runLoad(load).then(
    (outcome) => process.send?.({ outcome }),
    (error: unknown) => process.send?.({ failure: error instanceof Error ? error.message : String(error) }),
  )
})
process.on('disconnect', () => process.exit())
