import type { Uses } from '#shared/table/uses.ts';

/** Everything that the notifier writes: deliveries with their attempts and due times, and the health of targets. */
export const NOTIFIER_USES: Uses = {
  writes: ['DELIVERY', '@DUE', 'HEALTH'],
  removes: ['@DUE'],
};
