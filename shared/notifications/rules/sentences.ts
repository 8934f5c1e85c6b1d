import { sentence } from '#shared/base/errors.ts';

// rules/notifications.md#errors-of-notifications
export const actionNotFound = sentence(404, 'Action not found');
export const eventNotFound = sentence(404, 'Event not found');
export const deliveryNotFound = sentence(404, 'Delivery not found');
