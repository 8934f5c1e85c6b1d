import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { tableIsClosed } from '#functions/table-state.ts';
import { notify } from './notify.ts';
import { refreshRoot } from './refresh-root.ts';
import { lambdaNotifierServices } from './services.ts';

const services = lambdaNotifierServices();
const isClosed = tableIsClosed(services);

/** The event of the schedule. */
interface RefreshEvent {
  sweep: 'public-root';
}

/**
 * Handles messages of the queue of deliveries (`rules/notifications.md#attempts`), and the event of a schedule that refreshes the public
 * trust root (`rules/verified-evidence.md#refresh`).
 */
export async function handler(event: SQSEvent | RefreshEvent): Promise<SQSBatchResponse | undefined> {
  const rests = await isClosed();
  if ('Records' in event) return notify(event, services());
  const { publicRoot, ...others } = services();
  if (!rests && publicRoot) await refreshRoot({ ...others, publicRoot });
  return undefined;
}
