import type { Uses } from '#shared/table/uses.ts';

/**
 * Everything that the notifier writes: deliveries with their attempts and due times, and the health of targets. It reads the
 * secrets that sign webhooks.
 */
export const NOTIFIER_USES: Uses = {
  reads: ['ACTIONSECRET'],
  writes: ['DELIVERY', '@DUE', 'HEALTH'],
  removes: ['@DUE'],
};
