import type { EndpointGroup } from '#shared/http/endpoint.ts';
import type { Stage } from './stages/settings.ts';
import { wrongSetting } from './stages/stage-error.ts';

/** AWS does not let reservations take the last executions of an account: so many stay for all other functions. */
const UNRESERVED = 100;

/** The functions that strangers call and that wait for an identity provider or an issuer of tokens. */
const WAITING_GROUPS: readonly string[] = ['token', 'sign-in'];

/**
 * Returns the workers that wait for targets of notifications, for the public trust root and for witnesses, with the most calls that
 * their queue makes at once. Schedules call both too.
 */
const waitingWorkers = ({
  deliveriesConcurrency,
  logEntriesConcurrency,
  rootRepository,
}: Stage): [string, number][] => [
  ['notifier', deliveriesConcurrency + (rootRepository === undefined ? 0 : 1)],
  ['integrator', logEntriesConcurrency + 1],
];

/**
 * Returns the reserved executions of functions by their names (docs/deploying.md#reserved-executions). A reservation is also
 * a limit: functions that wait for slow hosts cannot use up the executions of the account. They have none if the stage says
 * that the account has 0 executions to give away.
 *
 * @throws StageError if the account has too few executions
 */
export function reservations(stage: Stage, groups: readonly EndpointGroup[]): ReadonlyMap<string, number> {
  const { reservedConcurrency, accountConcurrency, waitingConcurrency } = stage;
  const reserved = new Map<string, number>();
  if (reservedConcurrency !== undefined) {
    for (const group of groups) reserved.set(group.name, reservedConcurrency);
  }
  if (accountConcurrency === 0) return reserved;
  for (const group of groups) {
    if (WAITING_GROUPS.includes(group.name)) reserved.set(group.name, waitingConcurrency);
  }
  for (const [worker, calls] of waitingWorkers(stage)) reserved.set(worker, calls);
  const sum = [...reserved.values()].reduce((one, other) => one + other, 0);
  if (sum + UNRESERVED > accountConcurrency) {
    throw wrongSetting(
      stage,
      'accountConcurrency',
      `must be at least ${sum + UNRESERVED}: ${sum} executions are reserved, and AWS keeps ${UNRESERVED} for all other ` +
        `functions; it is ${accountConcurrency}. With 0, functions that wait have no reservation`,
    );
  }
  return reserved;
}
