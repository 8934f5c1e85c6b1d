import type { Uses } from '#shared/table/uses.ts';

/** What the notifier writes: deliveries with their attempts and due times, the health of targets. */
export const NOTIFIER_USES: Uses = {
  writes: ['DELIVERY', '@DUE', 'HEALTH'],
  removes: ['@DUE'],
};
