import { REFRESH_PUBLIC_ROOT } from '#shared/signers/public-root/refresh-public-root.ts';
import { type Uses, usesTogether } from '#shared/table/uses.ts';

/** Deliveries with their attempts and due times, and the health of targets. Secrets sign webhooks. */
const NOTIFY: Uses = {
  reads: ['ACTIONSECRET'],
  writes: ['DELIVERY', '@DUE', 'HEALTH'],
  removes: ['@DUE'],
};

/** Everything that the notifier writes. */
export const NOTIFIER_USES: Uses = usesTogether([NOTIFY, REFRESH_PUBLIC_ROOT]);
