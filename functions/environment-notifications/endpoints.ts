import { endpointGroup } from '#shared/http/endpoint.ts';
import { changeNotification } from './change-notification.ts';
import { deleteNotification } from './delete-notification.ts';
import { getNotification } from './get-notification.ts';
import { listNotifications } from './list-notifications.ts';
import { putNotification } from './put-notification.ts';

export const environmentNotificationsGroup = endpointGroup({
  name: 'environment-notifications',
  about: 'Notifications about events in environments.',
  endpoints: [putNotification, listNotifications, getNotification, changeNotification, deleteNotification],
});
