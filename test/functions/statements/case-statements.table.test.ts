import { expect, it } from 'vitest';
import { exportsGroup } from '#functions/exports/endpoints.ts';
import { logGroup } from '#functions/log/endpoints.ts';
import { receiptsGroup } from '#functions/receipts/endpoints.ts';
import { statementsGroup } from '#functions/statements/endpoints.ts';
import { matchKey } from '#shared/watches/records/keys.ts';
import { readMatches } from '#shared/watches/records/matches.ts';
import { OLD_LODASH, watchApi, watchingOrganization } from '#test/functions/components/watches/watch-api.ts';
import { describeAccess } from '#test/support/access.ts';
import { onServer } from '#test/support/environments.ts';
import { logEverything } from '#test/support/log/exports.ts';
import { statementIn } from './stated-release.ts';
import { verifiedExport } from './verified-export.ts';

// rules/log.md#statement-of-a-case

const api = await watchApi([exportsGroup, logGroup, receiptsGroup, statementsGroup]);
const host = 'https://api.example';

describeAccess(api, { method: 'GET', path: (org) => `/watches/${org}/none/case/statement`, needs: 'reader' });

it('states the case with the entries of the watch and of its matches, anew when a fact differs', async () => {
  const acme = await watchingOrganization(api);
  const state = (query = '') => acme.get(`/watches/${acme.org}/lodash/case/statement`, query);
  const said = async () => statementIn((await state()).json);
  await acme.watch('lodash');
  await acme.build('one');
  await acme.run('prod', onServer({ one: 'one' }));
  await acme.relay.settle();
  expect((await state()).status).toBe(202);
  await logEverything(api.services, acme.id);
  const first = await said();
  expect(first).toMatchObject({
    predicateType: `${host}/watch-case/v1`,
    predicate: {
      resourceUri: `${host}/api/v2/watches/${acme.org}/lodash/case`,
      watch: { name: 'lodash', ...OLD_LODASH, package: 'pkg:npm/lodash' },
      known_from: 'match',
      affected_builds: 1,
      environments: [{ environment: 'prod', until: null }],
    },
  });
  expect(first.subject.map(({ name }) => name)).toEqual(['lodash', 'lodash', 'lodash']);
  expect(first.predicate.inputAttestations.map(({ digest }) => digest)).toEqual(
    first.subject.map(({ digest }) => digest),
  );
  const receipts = await Promise.all(
    first.predicate.inputAttestations.map(({ uri }) => acme.get(new URL(uri).pathname.replace('/api/v2', ''))),
  );
  expect(receipts.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await said()).toEqual(first);
  await acme.run('prod', onServer({}));
  await acme.relay.settle();
  await logEverything(api.services, acme.id);
  const second = await said();
  expect(second.predicate['timeline']).toContainEqual(
    expect.objectContaining({ kind: 'stopped', environment: 'prod' }),
  );
  expect(Number(second.predicate['as_of'])).toBeGreaterThan(Number(first.predicate['as_of']));
  expect((await state('format=sigstore')).status).toBe(202);
  await logEverything(api.services, acme.id);
  expect((await state('format=sigstore')).status).toBe(200);
  expect((await verifiedExport(api, acme)).statements).toBe(2);
  // A match that was changed afterwards is not stated.
  const [created] = await acme.audited('watch.created');
  const [match] = await readMatches(api.services.table, acme.id, [`${created?.subject.id}#first`]);
  if (!match) throw new Error('The watch has matched');
  await api.services.table.put({
    ...matchKey(acme.id, match.id),
    ...match,
    watch: { ...match.watch, vulnerability: 'X' },
  });
  await acme.run('stage', onServer({ one: 'one' }));
  await acme.relay.settle();
  expect((await state()).status).toBe(500);
});
