import { readFileSync } from 'node:fs';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it, test } from 'vitest';
import { OPTIONAL_SETTINGS } from '#infra/optional-settings.ts';
import { unannounced } from '#infra/release/changelog.ts';
import { type FixedResource, fixedResources } from '#infra/release/fixed-resources.ts';
import { newestRelease, readResources } from '#infra/release/releases.ts';
import { replacements } from '#infra/release/replacements.ts';
import { serviceTemplates } from '../synthesized.ts';

const templates = serviceTemplates(OPTIONAL_SETTINGS).eu;
const current = fixedResources(templates);
const released = readResources(newestRelease().version);
const sentences = (released: FixedResource[], now: FixedResource[]) =>
  replacements(released, now).map(({ sentence }) => sentence);

test('the changelog names every resource that is replaced or removed since the last release', () => {
  const found = replacements(released, current);
  console.log(`Replaced or removed since the last release: ${found.length}`);
  for (const { sentence } of found) console.log(sentence);
  expect(unannounced(found, readFileSync('CHANGELOG.md', 'utf8'))).toEqual([]);
});

test('the stateful stack replaces and removes nothing', () => {
  const [before, now] = [released, current].map((all) => all.filter(({ stack }) => stack === 'stateful'));
  expect(before?.map(({ id }) => id)).toContain('EvidenceTable');
  expect(sentences(before ?? [], now ?? [])).toEqual([]);
});

describe('replacements', () => {
  const topic: FixedResource = { stack: 'service', id: 'Topic', type: 'AWS::SNS::Topic', fixed: { TopicName: 'a' } };
  const subscription: FixedResource = {
    stack: 'service',
    id: 'Mail',
    type: 'AWS::SNS::Subscription',
    fixed: { Protocol: 'email', TopicArn: { 'Fn::Join': ['', [{ Ref: 'Topic' }]] } },
  };
  const renamed = { ...topic, fixed: { TopicName: 'b' } };

  it('names a resource with a property that cannot be changed in place, and no other', () => {
    const json = structuredClone(templates.stateful.toJSON());
    const { Properties } = json['Resources']['EvidenceTable'];
    Properties.BillingMode = 'PROVISIONED';
    Properties.KeySchema.pop();
    const changed = fixedResources({ ...templates, stateful: Template.fromJSON(json) });
    expect(sentences(current, changed)).toEqual([
      'EvidenceTable (AWS::DynamoDB::Table, stateful stack) is replaced, and the old resource stays in the account: ' +
        'KeySchema changes from [{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}] ' +
        'to [{"AttributeName":"pk","KeyType":"HASH"}].',
      expect.stringMatching(
        /^StoreCopiesTable\w+ .* is replaced: BackupSelection refers to EvidenceTable, which is replaced\.$/,
      ),
    ]);
  });

  it('names a resource that loses its name', () => {
    expect(sentences([topic], [{ ...topic, fixed: {} }])).toEqual([
      'Topic (AWS::SNS::Topic, service stack) is replaced: TopicName changes from "a" to nothing.',
    ]);
  });

  it('names the resources that must refer to a replaced resource, wherever they stand', () => {
    expect(sentences([subscription, topic], [subscription, renamed])).toEqual([
      'Mail (AWS::SNS::Subscription, service stack) is replaced: TopicArn refers to Topic, which is replaced.',
      'Topic (AWS::SNS::Topic, service stack) is replaced: TopicName changes from "a" to "b".',
    ]);
    const function_ = { ...topic, id: 'Function', fixed: { Role: { 'Fn::GetAtt': ['Topic', 'Arn'] } } };
    expect(sentences([topic, function_], [renamed, function_])[1]).toContain('Role refers to Topic');
  });

  it('names a resource that is deleted, and one that stays in the account without its stack', () => {
    expect(sentences([topic, { ...subscription, retained: true }], [])).toEqual([
      'Topic (AWS::SNS::Topic, service stack) is deleted: the template no longer has it.',
      'Mail (AWS::SNS::Subscription, service stack) leaves the stack and stays in the account: ' +
        'the template no longer has it.',
    ]);
  });

  it('names a change of type, which CloudFormation refuses', () => {
    expect(sentences([topic], [{ ...topic, type: 'AWS::SQS::Queue' }])).toEqual([
      'Topic (AWS::SNS::Topic, service stack) cannot be deployed: its type changes to AWS::SQS::Queue.',
    ]);
  });

  it('names no resource that is added, moved within the template, or has the same id in the other stack', () => {
    expect(sentences([topic, subscription], [subscription, topic, { ...topic, id: 'New' }])).toEqual([]);
    expect(sentences([topic], [{ ...renamed, stack: 'stateful' }, topic])).toEqual([]);
  });

  it('cannot be computed for a resource type that the specification does not have', () => {
    const service = Template.fromJSON({ Resources: { One: { Type: 'Custom::Unknown' } } });
    expect(() => fixedResources({ ...templates, service })).toThrow('Custom::Unknown');
  });
});

test('a replacement is announced by its logical id in the section «Unreleased» of the changelog', () => {
  const found = ['One', 'Two', 'Three'].map((id) => ({ id }));
  const changelog = '# Changelog\n\n## Unreleased\n\n- `One` is replaced. Two is not.\n\n## 1.0.0\n\n- `Three`\n';
  expect(unannounced(found, changelog).map(({ id }) => id)).toEqual(['Two', 'Three']);
});
