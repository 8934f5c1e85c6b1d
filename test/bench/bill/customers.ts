/** Sizes of customers for whom a month's bill is computed, and what is assumed about them. */

export interface Customer {
  name: string;
  developers: number;
  /** Releases of a developer on a working day: each is a trail. */
  releases: number;
  /** Attestations of a release, of which one has a file. */
  attestations: number;
  artifacts: number;
  /** Pipelines and clusters that ask whether an artifact may run, per release. */
  asserts: number;
  /** Attestations of a release that go to a webhook. */
  webhooks: number;
  environments: number;
  /** Reports of an environment per minute, at all hours. */
  reports: number;
  /** Reports of an environment on a working day that differ from the report before. */
  changes: number;
  /** Reports of an environment per day that are evaluated again, besides one after each change. */
  evaluatedAgain: number;
  /** Pages of the console that a developer opens on a working day. */
  pages: number;
  /** API keys. The time of the last use is stored once an hour. */
  keys: number;
  /** Months of evidence that the table and the bucket store. */
  monthsStored: number;
}

const COMMON = {
  releases: 3,
  attestations: 6,
  artifacts: 1,
  asserts: 2,
  webhooks: 1,
  reports: 1,
  evaluatedAgain: 1,
  pages: 5,
  monthsStored: 12,
};

export const CUSTOMERS: readonly Customer[] = [
  { ...COMMON, name: '10 developers', developers: 10, environments: 4, changes: 3, keys: 10 },
  { ...COMMON, name: '300 developers', developers: 300, environments: 40, changes: 8, keys: 150 },
  { ...COMMON, name: '5,000 developers', developers: 5_000, environments: 400, changes: 15, keys: 2_000 },
];

export const WORKING_DAYS = 21;
/** The hours of a working day in which releases are made. */
export const WORKING_HOURS = 8;

/** The table of the page that shows every assumption. */
export const ASSUMPTIONS: readonly (readonly [string, (customer: Customer) => number])[] = [
  ['Releases per developer and working day: each is a trail', ({ releases }) => releases],
  ['Attestations per release, one of them with a file of 50 KB', ({ attestations }) => attestations],
  ['Artifacts per release', ({ artifacts }) => artifacts],
  ['Assert requests per release', ({ asserts }) => asserts],
  ['Webhooks per release', ({ webhooks }) => webhooks],
  ['Environments, each with 30 artifacts and one policy', ({ environments }) => environments],
  ['Reports per environment and minute, at all hours', ({ reports }) => reports],
  ['Reports with a change per environment and working day', ({ changes }) => changes],
  ['Reports per environment and day that are evaluated again without a change', ({ evaluatedAgain }) => evaluatedAgain],
  ['Pages of the console per developer and working day', ({ pages }) => pages],
  ['API keys, each used every hour', ({ keys }) => keys],
  ['Months of evidence that are stored', ({ monthsStored }) => monthsStored],
];
