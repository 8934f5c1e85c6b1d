import { limitsOf } from '#infra/stages/limits.ts';
import { DEFAULTS } from '#infra/stages/settings.ts';
import { SIGNATURES_PER_SECOND } from '#shared/log/rules/signature-line.ts';
import { dollars, sum, times, type Usage } from '../prices.ts';
import { SECONDS_PER_MONTH, tracesOf, withoutStorage } from './month.ts';
import type { Operation } from './operations.ts';

/** The bill of a month by the rate of writes and the number of organizations, computed from counted units. */

/** Writes of the mix, in the numbers of one release that is deployed once. */
export const MIX = {
  'begin trail': 1,
  attestation: 5,
  'attestation with a file': 1,
  'artifact report': 1,
  'report with a change': 1,
} as const satisfies Partial<Record<Operation, number>>;

/** What is counted: per write of the mix, per visit, and per month. */
export interface CountedRates {
  /** Of one write: the request, and what follows without the log. */
  write: Usage;
  /** Of one write in the log of an organization, by the milliseconds from one write to the next, in rising order. */
  log: readonly { everyMillis: number; usage: Usage }[];
  /** Of one write in the logs of many organizations, at a rate. Rates that are not there take the pace of one organization. */
  shared?: readonly (Rate & { usage: Usage })[];
  /** Of the visit of an organization by the sweeps. */
  visit: Usage;
  /** Of a month without a request. */
  idle: Usage;
}

export interface Rate {
  writesPerSecond: number;
  organizations: number;
}

/** The sweep of five minutes asks for a visit of each listed organization. */
const VISITS_PER_MONTH = SECONDS_PER_MONTH / 300;
/** An organization stays listed for so long after its last write. */
const LISTED_SECONDS = 360;

/** Returns the share of organizations in which something has happened lately, if writes come by chance. */
const activeShare = ({ writesPerSecond, organizations }: Rate): number =>
  1 - Math.exp((-writesPerSecond * LISTED_SECONDS) / organizations);

/**
 * Returns what the log uses for a write at this rate. If only paces of one organization were counted, it is the nearest one that is not
 * faster; the slowest one holds for all slower ones.
 */
function logUse({ log, shared = [] }: CountedRates, { writesPerSecond, organizations }: Rate): Usage {
  const same = shared.find((one) => one.writesPerSecond === writesPerSecond && one.organizations === organizations);
  if (same) return same.usage;
  const every = (1_000 * organizations) / writesPerSecond;
  return (log.find(({ everyMillis }) => everyMillis >= every) ?? log.at(-1))?.usage ?? {};
}

/**
 * Returns what a month uses, without the storage of evidence.
 *
 * @param most signatures of the region in a second
 */
export function monthAt(counted: CountedRates, rate: Rate, most = SIGNATURES_PER_SECOND): Usage {
  const writes = rate.writesPerSecond * SECONDS_PER_MONTH;
  const visits = rate.organizations * activeShare(rate) * VISITS_PER_MONTH;
  const log = times(logUse(counted, rate), writes);
  const limited = { ...log, signatures: Math.min(log.signatures ?? 0, most * SECONDS_PER_MONTH) };
  const usage = withoutStorage(
    sum([counted.idle, times(counted.write, writes), limited, times(counted.visit, visits)]),
  );
  return { ...usage, traces: tracesOf(usage.functionCalls ?? 0) };
}

/** Returns the share of the log in the bill. */
export function logShareAt(counted: CountedRates, rate: Rate): number {
  const { shared: _, ...others } = counted;
  return 1 - dollarsAt({ ...others, log: [] }, rate) / dollarsAt(counted, rate);
}

export const dollarsAt = (counted: CountedRates, rate: Rate, most?: number): number =>
  dollars(monthAt(counted, rate, most));

/** Entries that a call of the integrator integrates in a second, and most entries of one log (docs/benchmarks.md). */
export const ENTRIES_OF_CALL = 141;
const ENTRIES_OF_LOG = 1_000;
/** The service quota of a table with on-demand capacity, in write units per second. */
const TABLE_UNITS = 40_000;

interface Limit {
  name: string;
  /** Load as a share of what is there; above 1 something waits or is refused. */
  load: number;
  remedy: string;
}

/** Returns the limits in the order in which they are reached, the first one first. */
export function limitsAt(counted: CountedRates, rate: Rate): Limit[] {
  const { writesPerSecond, organizations } = rate;
  const { organization, key } = limitsOf(DEFAULTS);
  const perOrganization = writesPerSecond / organizations;
  const signatures = (logUse(counted, rate).signatures ?? 0) * writesPerSecond;
  const units = ((counted.write.writeUnits ?? 0) + (logUse(counted, rate).writeUnits ?? 0)) * writesPerSecond;
  const limits: Limit[] = [
    {
      name: 'calls of the integrator',
      load: writesPerSecond / (DEFAULTS.logEntriesConcurrency * ENTRIES_OF_CALL),
      remedy: '`logEntriesConcurrency`',
    },
    { name: 'the log of one organization', load: perOrganization / ENTRIES_OF_LOG, remedy: 'several organizations' },
    { name: 'signatures', load: signatures / DEFAULTS.maxSignaturesPerSecond, remedy: '`maxSignaturesPerSecond`' },
    {
      name: 'requests of the stage',
      load: writesPerSecond / DEFAULTS.requestsPerSecond,
      remedy: '`requestsPerSecond`',
    },
    { name: 'changes of a key', load: perOrganization / key.writes.rate, remedy: '`keyWrites`, or several keys' },
    {
      name: 'changes of an organization',
      load: perOrganization / organization.writes.rate,
      remedy: '`organizationWrites`',
    },
    { name: 'write units of the table', load: units / TABLE_UNITS, remedy: 'the quota of the account' },
  ];
  // Where only one organization exists, nobody is limited (docs/rules/requests.md#limits-of-organizations).
  // A call with entries of one log integrates as many as the log takes.
  const isLimiting = ({ name }: Limit) => organizations > 1 || !/^(?:changes of|calls of)/.test(name);
  return limits.filter(isLimiting).toSorted((one, other) => other.load - one.load);
}
