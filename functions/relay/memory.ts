import { WriteTimes } from '#shared/base/write-times.ts';
import { EnvironmentMemory } from '#shared/environments/environment-memory.ts';
import { SeriesMemory } from '#shared/series/series-context.ts';

/**
 * What one container of the relay remembers between calls. It holds only what is stored in the table already, and it
 * saves writes that would store the same again. Nothing waits in it: a container can end at any time.
 */
export class RelayMemory extends EnvironmentMemory {
  readonly series = new SeriesMemory();
  /** When organizations were listed for the sweeps. */
  readonly listed = new WriteTimes();
}

/** Shared by all calls of one container. */
export const containerMemory = new RelayMemory();
