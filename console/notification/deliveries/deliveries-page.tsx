import type { PageProps } from '../../routes/route.ts';
import { type deliveriesRoute, namesEvent } from '../routes.ts';
import { DeliveryLog } from './delivery-log.tsx';
import { WhoWasTold } from './recipients.tsx';

/** The deliveries of all actions, or who was told of one event. */
export default function DeliveriesPage({ params, search }: PageProps<typeof deliveriesRoute>) {
  return namesEvent(search) ? (
    <WhoWasTold org={params.org} search={search} />
  ) : (
    <DeliveryLog org={params.org} search={search} />
  );
}
