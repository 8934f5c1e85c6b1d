import { once } from '#functions/services.ts';
import { TableState } from '#shared/table/table-state.ts';

/**
 * Returns what a worker asks before it works: whether the table takes no writes now. Queues and the stream are worked off in
 * maintenance too, because they hold effects of accepted writes; sweeps rest (rules/requests.md#maintenance).
 *
 * @throws ServiceError from the returned function if the table has a data format that this release does not know
 */
export const tableIsClosed = (
  services: () => ConstructorParameters<typeof TableState>[0],
): (() => Promise<boolean>) => {
  const state = once(() => new TableState(services()));
  return () => state().isClosed();
};
