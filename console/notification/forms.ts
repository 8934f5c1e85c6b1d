import { type ErrorPlace, line, type ManyField, names, ticks, type Write, write } from '../parts/form/model/forms.ts';
import { refuseTaken } from '../parts/form/model/taken.ts';
import { environmentNames, flowNames } from '../parts/form/suggestions.ts';
import { triggerText } from './model/actions.ts';
import { type Action, changeNotification, deleteAction, putFlowAction, putNotification } from './operations.ts';

/** Writes about actions (rules/notifications.md#saving). */

const EXPECTATION_TRIGGERS = ['ON_EXPECTATION_DUE_SOON', 'ON_EXPECTATION_MISSED', 'ON_EXPECTATION_MET_AGAIN'] as const;
const FLOW_TRIGGERS = [
  'ON_STARTED_TRAIL',
  'ON_ATTESTED_PROVENANCE',
  'ON_ATTESTATION',
  ...EXPECTATION_TRIGGERS,
  'ON_EXPOSURE',
] as const;
const ENV_TRIGGERS = [
  'ON_NON_COMPLIANT_ENV',
  'ON_COMPLIANT_ENV',
  'ON_STARTED_ARTIFACT',
  'ON_EXITED_ARTIFACT',
  'ON_ALLOWED_ARTIFACT',
  ...EXPECTATION_TRIGGERS,
  'ON_EXPOSURE',
] as const;

type Targets = Pick<Action, 'targets'>['targets'];

interface Places {
  chats: readonly string[];
  webhooks: readonly string[];
  mails: readonly string[];
}

const nameField = (initial = '') =>
  line('Name', { initial, note: 'Letters, digits and - _ . ~ / such as team-payments.' });

/** Triggers that never fire are offered only where the action has them, so that a save does not drop them. */
function triggerField<T extends string>(triggers: readonly T[], given: readonly string[] = []): ManyField<T> {
  // What the service has stored, its save accepts. The type lists only the triggers that fire.
  const initial = given as readonly T[];
  const offered = [...new Set([...triggers, ...initial])];
  return ticks(
    'When',
    offered.map((trigger) => [trigger, triggerText(trigger)]),
    { initial },
  );
}

const targetFields = (targets: Targets = []) => ({
  chats: names('Chats', {
    isOptional: true,
    initial: targets.flatMap((one) => (one.type === 'CHAT' ? (one.webhook ?? []) : [])),
    note: 'Address of an incoming webhook of a chat channel.',
  }),
  webhooks: names('Webhooks', {
    isOptional: true,
    initial: targets.flatMap((one) => (one.type === 'WEBHOOK' ? (one.webhook ?? []) : [])),
    note: 'https addresses of your own programs. The service makes a secret and signs with it.',
  }),
  mails: names('Mails', {
    isOptional: true,
    initial: targets.flatMap((one) => (one.type === 'EMAIL' ? (one.emails?.join(', ') ?? []) : [])),
    note: 'One entry is one mail: an address, or several with commas.',
  }),
});

/** The targets of a request, in the order of the fields. A chat keeps its context. */
const targetsOf = ({ chats, webhooks, mails }: Places, before: Targets = []) => [
  ...chats.map((webhook) => {
    const known = before.find((one) => one.type === 'CHAT' && one.webhook === webhook);
    return { type: 'CHAT' as const, webhook, ...(known && 'context' in known && { context: known.context }) };
  }),
  ...webhooks.map((webhook) => ({ type: 'WEBHOOK' as const, webhook })),
  ...mails.map((emails) => ({ type: 'EMAIL' as const, emails })),
];

/** Finds the entry that `targets[3].webhook` is about. */
function targetPlace(error: string, { chats, webhooks }: Places): ErrorPlace | undefined {
  const index = /^targets\[(\d+)\]/.exec(error)?.[1];
  if (index === undefined) return error === 'targets' ? { field: 'webhooks' } : undefined;
  const n = Number(index);
  if (n < chats.length) return { field: 'chats', item: n };
  if (n < chats.length + webhooks.length) return { field: 'webhooks', item: n - chats.length };
  return { field: 'mails', item: n - chats.length - webhooks.length };
}

const checkTargets = ({ chats, webhooks, mails }: Places): Record<string, string> =>
  chats.length + webhooks.length + mails.length === 0 ? { webhooks: 'Name at least one chat, webhook or mail.' } : {};

const FLOWS_NOTE = 'Empty: every flow, also those to come.';

export const newFlowAction = (org: string, taken: readonly Action[]): Write =>
  write({
    button: 'New flow action',
    does: 'Create the action',
    doing: 'create actions',
    operation: putFlowAction,
    about: 'It tells people or programs what happens in flows.',
    fields: {
      name: nameField(),
      triggers: triggerField(FLOW_TRIGGERS),
      flows: names('Flows', { isOptional: true, suggest: flowNames(org), note: FLOWS_NOTE }),
      ...targetFields(),
    },
    check: (values): Record<string, string> => ({
      ...checkTargets(values),
      ...refuseTaken('an action', values.name, ofType(taken, 'flow')),
    }),
    errorPlace: targetPlace,
    request: (values) => ({
      params: { org },
      body: {
        name: values.name.trim(),
        triggers: [...values.triggers],
        flows: [...values.flows],
        targets: targetsOf(values),
      },
    }),
    done: 'Created.',
  });

export const newNotification = (org: string, taken: readonly Action[]): Write =>
  write({
    button: 'New environment notification',
    does: 'Create the notification',
    doing: 'create environment notifications',
    operation: putNotification,
    about: 'It tells people or programs what happens in environments.',
    fields: {
      name: nameField(),
      triggers: triggerField(ENV_TRIGGERS),
      environments: names('Environments', { suggest: environmentNames(org) }),
      ...targetFields(),
    },
    check: (values): Record<string, string> => ({
      ...checkTargets(values),
      ...refuseTaken('an action', values.name, ofType(taken, 'env')),
    }),
    errorPlace: targetPlace,
    request: (values) => ({
      params: { org },
      body: {
        name: values.name.trim(),
        triggers: [...values.triggers],
        environments: [...values.environments],
        targets: targetsOf(values),
      },
    }),
    done: 'Created.',
  });

/** Actions about flows and about environments have names of their own. */
const ofType = (actions: readonly Action[], type: Action['type']) => actions.filter((one) => one.type === type);

/** What the page of an action offers besides its test, its replay and its secret. */
export function actionWrites(org: string, action: Action): Write[] {
  const { name, number, targets, triggers, flows, environments } = action;
  const own = {
    button: 'Edit',
    does: `Edit ${name}`,
    sends: 'Save',
    doing: 'edit, test and replay the action',
    about: 'Saving also enables targets that were disabled since they answered 410.',
    check: checkTargets,
    errorPlace: targetPlace,
  };
  return [
    action.type === 'env'
      ? write({
          ...own,
          operation: changeNotification,
          fields: {
            name: nameField(name),
            triggers: triggerField(ENV_TRIGGERS, triggers),
            environments: names('Environments', { initial: environments, suggest: environmentNames(org) }),
            ...targetFields(targets),
          },
          request: (values) => ({
            params: { org, notification_number: number },
            body: {
              name: values.name.trim(),
              triggers: [...values.triggers],
              environments: [...values.environments],
              targets: targetsOf(values, targets),
            },
          }),
        })
      : write({
          ...own,
          operation: putFlowAction,
          fields: {
            triggers: triggerField(FLOW_TRIGGERS, triggers),
            flows: names('Flows', { isOptional: true, initial: flows, suggest: flowNames(org), note: FLOWS_NOTE }),
            ...targetFields(targets),
          },
          request: (values) => ({
            params: { org },
            body: {
              name,
              triggers: [...values.triggers],
              flows: [...values.flows],
              targets: targetsOf(values, targets),
            },
          }),
        }),
    write({
      button: 'Delete',
      isRare: true,
      does: `Delete ${name}`,
      doing: 'delete it',
      operation: deleteAction,
      about: 'Nobody is told any more, and deliveries that wait are discarded. Its deliveries stay in the log.',
      isDanger: true,
      fields: {},
      request: () => ({ params: { org, action_number: number } }),
      opens: () => ({ page: 'actions', params: { org } }),
    }),
  ];
}
