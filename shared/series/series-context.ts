import type { OrganizationId } from '#shared/base/ids.ts';
import type { Clock } from '#shared/base/time.ts';
import { WriteTimes } from '#shared/base/write-times.ts';
import type { Table } from '#shared/table/table.ts';
import type { FacetKinds, RecordedMonths } from './facets.ts';
import type { SeriesEntry } from './series-entries.ts';

/** Work on a series that can take longer than one call. */
export type SeriesWork =
  /** The series may have more complete milestones than one call appends. */
  | { work: 'settle'; org: OrganizationId; series: string }
  /** The entries appeared behind a milestone of the series, from which on the series has to be counted again. */
  | { work: 'recount'; org: OrganizationId; series: string; entries: [SeriesEntry, ...SeriesEntry[]] };

/** What one container remembers of series. It only saves writes: each write may be repeated. */
export class SeriesMemory {
  readonly months: RecordedMonths = new Set();
  /** When series were settled. */
  readonly settled = new WriteTimes();
}

/** Dependencies of the upkeep of series. */
export interface SeriesContext {
  table: Table;
  clock: Clock;
  /** The facets of all domains. */
  kinds: FacetKinds;
  memory: SeriesMemory;
  /** Whether there is time to append another milestone (rules/storage.md#effects). */
  isTime: () => boolean;
  /** Hands work over for which no time is left. */
  handOver: (work: SeriesWork) => Promise<void>;
}
