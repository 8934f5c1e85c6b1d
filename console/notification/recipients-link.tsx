import { PageLink } from '../parts/link/link.tsx';
import type { EventAddress } from './model/event-address.ts';

interface RecipientsLinkProps {
  org: string;
  /** What names the event; null if it notifies nobody. */
  event: EventAddress | null;
}

/** A link from an event to the actions that were notified of it, and to the reasons why the others were not. */
export const RecipientsLink = ({ org, event }: RecipientsLinkProps) =>
  event === null ? (
    '–'
  ) : (
    <PageLink page="deliveries" params={{ org }} search={event}>
      who was told
    </PageLink>
  );
