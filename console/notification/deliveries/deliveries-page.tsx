import type { PageProps } from '../../routes/route.ts';
import { type deliveriesRoute, namesEvent } from '../routes.ts';
import { DeliveryLog } from './delivery-log.tsx';
import { Recipients } from './recipients.tsx';

/** The deliveries of all actions, or the actions that were notified of one event. */
export default function DeliveriesPage({ params, search }: PageProps<typeof deliveriesRoute>) {
  return namesEvent(search) ? (
    <Recipients org={params.org} search={search} />
  ) : (
    <DeliveryLog org={params.org} search={search} />
  );
}
