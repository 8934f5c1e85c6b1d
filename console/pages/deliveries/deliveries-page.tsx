import type { PageProps } from '../route.ts';
import { DeliveryLog } from './delivery-log.tsx';
import { type deliveriesRoute, namesEvent } from './route.ts';
import { WhoWasTold } from './who-was-told.tsx';

/** The deliveries of all actions, or who was told of one event. */
export default function DeliveriesPage({ params, search }: PageProps<typeof deliveriesRoute>) {
  return namesEvent(search) ? (
    <WhoWasTold org={params.org} search={search} />
  ) : (
    <DeliveryLog org={params.org} search={search} />
  );
}
