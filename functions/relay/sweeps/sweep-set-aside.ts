import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import type { RelayServices } from '#functions/relay/services.ts';
import { errorFacts } from '#shared/base/error-facts.ts';
import {
  countAttempt,
  readItemSetAside,
  readSetAside,
  removeSetAside,
  type SetAside,
} from '#shared/sweeps/set-aside.ts';
import { type Image, imageOf } from '#shared/table/stream-item.ts';
import { attemptEffects, type RelayContext, type RelayOptions, relayContext } from '../relay.ts';

const PAGE = 100;

/**
 * Tries the records again that the relay set aside, each one alone, when they are due
 * (`rules/storage.md#failed-records`). A record stays set aside until its effects succeed, for example after a
 * deployment.
 * @returns how many records were handled
 */
export async function sweepSetAside(services: RelayServices, options: RelayOptions = {}): Promise<number> {
  const context = relayContext(services, options, 'sweep');
  const { isTime } = context;
  const { table, clock } = services;
  let handled = 0;
  let page: SetAside[];
  let after = '';
  do {
    page = await readSetAside(table, after, PAGE);
    after = page.at(-1)?.sk ?? after;
    for (const aside of page) {
      const now = clock.now();
      // The due times spread the attempts, so a list that one sweep cannot finish is not always tried from its beginning.
      if (!isTime() || aside.due > now || !(await countAttempt(table, aside, now))) continue;
      if (await tryAgain(context, aside)) handled += 1;
    }
  } while (page.length === PAGE && isTime());
  return handled;
}

/** @returns whether all effects of the item succeeded */
async function tryAgain(context: RelayContext, aside: SetAside): Promise<boolean> {
  const { services, log } = context;
  const item = await readItemSetAside(services.table, aside);
  // Effects derive from the item as it is now. An item that was removed has none.
  const { failures, unreadable } = await attemptEffects(context, item ? [recordOf(aside.item, imageOf(item))] : []);
  const [failure] = [...failures, ...unreadable];
  if (failure) {
    const facts = { ...aside.item, attempts: aside.attempts + 1, ...errorFacts(failure.error) };
    log('A record that was set aside failed again', facts);
    return false;
  }
  await removeSetAside(services.table, aside);
  return true;
}

const recordOf = ({ pk, sk }: SetAside['item'], image: Image): DynamoDBRecord => ({
  dynamodb: {
    Keys: { pk: { S: pk }, sk: { S: sk } },
    // The types of the event and of the SDK describe the same attributes. Only bytes differ, which `StreamItem` converts.
    NewImage: image as Record<string, AttributeValue>,
  },
});
