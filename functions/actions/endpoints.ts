import { endpointGroup } from '#shared/http/endpoint.ts';
import { deleteAction } from './delete-action.ts';
import { explainEvent } from './explain-event.ts';
import { getAction } from './get-action.ts';
import { getSigningSecret } from './get-signing-secret.ts';
import { listActions } from './list-actions.ts';
import { listAllDeliveries } from './list-all-deliveries.ts';
import { listDeliveries } from './list-deliveries.ts';
import { putFlowAction } from './put-flow-action.ts';
import { redeliver } from './redeliver.ts';
import { replay } from './replay.ts';
import { rotateSigningSecret } from './rotate-signing-secret.ts';
import { testAction } from './test-action.ts';

export const actionsGroup = endpointGroup({
  name: 'actions',
  about: 'Notifications about events in flows by chat, signed webhook or mail, with every delivery and attempt.',
  endpoints: [
    putFlowAction,
    listActions,
    getAction,
    deleteAction,
    listDeliveries,
    listAllDeliveries,
    explainEvent,
    redeliver,
    testAction,
    replay,
    getSigningSecret,
    rotateSigningSecret,
  ],
});
