import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { PIECES_MILLIS } from '#functions/expander/expand-messages.ts';
import { PATIENCE_MILLIS } from '#shared/base/retry.ts';
import { LEASE_MICROS } from '#shared/exports/continue-export.ts';
import {
  DELIVERIES_QUEUE,
  EVALUATIONS_QUEUE,
  EXPANSIONS_QUEUE,
  EXPORTS_QUEUE,
  LOG_ENTRIES_QUEUE,
  VISITS_QUEUE,
} from '#shared/queues/queue-definition.ts';
import { statementsOf } from './statements.ts';
import { serviceTemplates } from './synthesized.ts';

const template = serviceTemplates().eu.service;

describe('the relay', () => {
  test('reads the stream of the table from its beginning, and notes batches that it gave up', () => {
    template.resourceCountIs('AWS::Lambda::EventSourceMapping', 7);
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionName: { Ref: Match.stringLikeRegexp('^Relay') },
      StartingPosition: 'TRIM_HORIZON',
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      MaximumRetryAttempts: 10,
      DestinationConfig: { OnFailure: { Destination: Match.anyValue() } },
    });
  });

  test('sweeps every five minutes for events that the stream did not bring', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(5 minutes)',
      State: 'ENABLED',
      Targets: [Match.objectLike({ Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^Relay'), 'Arn'] }, Id: 'Target0' })],
    });
    template.hasResourceProperties('AWS::Lambda::Permission', {
      Principal: 'events.amazonaws.com',
      FunctionName: { 'Fn::GetAtt': [Match.stringLikeRegexp('^Relay'), 'Arn'] },
    });
  });

  test('may read the stream and send to its queues', () => {
    const statements = statementsOf(template, 'Relay');
    expect(statements.flatMap(({ Action }) => Action)).toEqual(expect.arrayContaining(['dynamodb:GetRecords']));
    const sending = statements.filter(({ Action }) => [Action].flat().includes('sqs:SendMessage'));
    const queues = JSON.stringify(sending.map(({ Resource }) => Resource)).matchAll(/GetAtt(\w+?)Arn/g);
    // The event source of the relay writes the last one: ranges of the stream that it gave up on.
    expect([...queues].map(([, queue]) => queue)).toEqual([
      'Deliveries',
      'Evaluations',
      'Expansions',
      'Exports',
      'LogEntries',
      'Visits',
      'RelayFailures',
    ]);
  });

  test('visits organizations by messages of its queue, and ends before a message is visible again', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionName: { Ref: Match.stringLikeRegexp('^Relay') },
      EventSourceArn: { 'Fn::ImportValue': Match.stringLikeRegexp('Visits') },
      BatchSize: VISITS_QUEUE.batch,
      ScalingConfig: { MaximumConcurrency: VISITS_QUEUE.calls },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Description: Match.stringLikeRegexp('^Applies the effects of events'),
      Timeout: VISITS_QUEUE.timeout,
    });
    expect(VISITS_QUEUE.visibility).toBeGreaterThanOrEqual(3 * VISITS_QUEUE.timeout);
  });

  test.each(['Relay', 'Integrator'])('is called once by its schedule, within a minute: %s', (name) => {
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      FunctionName: { Ref: Match.stringLikeRegexp(`^${name}`) },
      MaximumEventAgeInSeconds: 60,
      MaximumRetryAttempts: 0,
    });
    template.hasResourceProperties('AWS::Events::Rule', {
      Targets: [
        Match.objectLike({
          Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp(`^${name}`), 'Arn'] },
          RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 },
        }),
      ],
    });
  });
});

describe('the notifier', () => {
  test('reads the queue of deliveries with limited concurrency and reports failed messages', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionName: { Ref: Match.stringLikeRegexp('^Notifier') },
      EventSourceArn: { 'Fn::ImportValue': Match.stringLikeRegexp('Deliveries') },
      BatchSize: DELIVERIES_QUEUE.batch,
      ScalingConfig: { MaximumConcurrency: DELIVERIES_QUEUE.calls },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  test('gets deliveries that are due from a sweep of every minute', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(1 minute)',
      State: 'ENABLED',
      Targets: [Match.objectLike({ Input: '{"sweep":"due"}' })],
    });
  });

  test('looks every hour whether the public root is to be refreshed, and may take no more than one call beside its queue', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(1 hour)',
      State: 'ENABLED',
      Targets: [Match.objectLike({ Input: '{"sweep":"public-root"}' })],
    });
    template.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: Match.stringLikeRegexp('-notifier$'),
      ReservedConcurrentExecutions: DELIVERIES_QUEUE.calls + 1,
      Environment: { Variables: Match.objectLike({ ROOT_REPOSITORY: 'https://tuf-repo-cdn.sigstore.dev' }) },
    });
  });
});

describe('the expander', () => {
  test('works on one message per call with limited concurrency and reports failed messages', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionName: { Ref: Match.stringLikeRegexp('^Expander') },
      EventSourceArn: { 'Fn::ImportValue': Match.stringLikeRegexp('Expansions') },
      BatchSize: 1,
      ScalingConfig: { MaximumConcurrency: EXPANSIONS_QUEUE.calls },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  test('has time for the longest retry after it began its last piece, and ends before its message is visible again', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Description: Match.stringLikeRegexp('^Applies the effects of snapshots'),
      Timeout: EXPANSIONS_QUEUE.timeout,
    });
    expect(EXPANSIONS_QUEUE.timeout * 1_000).toBeGreaterThanOrEqual(PIECES_MILLIS + PATIENCE_MILLIS);
    expect(EXPANSIONS_QUEUE.visibility).toBeGreaterThanOrEqual(3 * EXPANSIONS_QUEUE.timeout);
  });

  test('may send deliveries and the rest of its own work', () => {
    const sending = statementsOf(template, 'Expander').filter(({ Action }) =>
      [Action].flat().includes('sqs:SendMessage'),
    );
    const queues = JSON.stringify(sending.map(({ Resource }) => Resource)).matchAll(/GetAtt(\w+?)Arn/g);
    expect([...queues].map(([, queue]) => queue)).toEqual(['Deliveries', 'Expansions']);
  });
});

describe('the evaluator', () => {
  test('evaluates one message per call with limited concurrency and reports failed messages', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionName: { Ref: Match.stringLikeRegexp('^Evaluator') },
      EventSourceArn: { 'Fn::ImportValue': Match.stringLikeRegexp('Evaluations') },
      BatchSize: 1,
      ScalingConfig: { MaximumConcurrency: EVALUATIONS_QUEUE.calls },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  test('ends before its message is visible again, and has memory for the child process', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Description: Match.stringLikeRegexp('^Evaluates policies'),
      Timeout: EVALUATIONS_QUEUE.timeout,
      MemorySize: 1769,
    });
    expect(EVALUATIONS_QUEUE.visibility).toBeGreaterThanOrEqual(6 * EVALUATIONS_QUEUE.timeout);
  });

  test('may neither send messages or mail nor call functions', () => {
    const actions = statementsOf(template, 'Evaluator').flatMap(({ Action }) => Action);
    expect(actions).toEqual(expect.arrayContaining(['sqs:ReceiveMessage', 'dynamodb:DeleteItem', 's3:PutObject']));
    expect(actions.filter((action) => /SendMessage|ses:|lambda:|BatchWrite/.test(action))).toEqual([]);
  });
});

describe('the exporter', () => {
  test('works on one message per call with limited concurrency and reports failed messages', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionName: { Ref: Match.stringLikeRegexp('^Exporter') },
      EventSourceArn: { 'Fn::ImportValue': Match.stringLikeRegexp('Exports') },
      BatchSize: 1,
      ScalingConfig: { MaximumConcurrency: EXPORTS_QUEUE.calls },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  test('ends before its lease is over and before its message is visible again', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Description: Match.stringLikeRegexp('^Makes exports'),
      Timeout: EXPORTS_QUEUE.timeout,
    });
    expect(EXPORTS_QUEUE.timeout * 1_000_000).toBeLessThanOrEqual(LEASE_MICROS);
    expect(EXPORTS_QUEUE.visibility).toBeGreaterThanOrEqual(3 * EXPORTS_QUEUE.timeout);
  });

  test('may neither sign nor change evidence', () => {
    const statements = statementsOf(template, 'Exporter');
    expect(statements.flatMap(({ Action }) => Action)).not.toContain('kms:Sign');
    const written = statements.filter(({ Action }) => [Action].flat().includes('s3:PutObject'));
    expect(JSON.stringify(written.map(({ Resource }) => Resource))).toMatch(/^[^/]*\/exports\/\*[^/]*$/);
  });
});

describe('the integrator', () => {
  test('gathers messages for two seconds, with limited concurrency, and reports failed ones', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionName: { Ref: Match.stringLikeRegexp('^Integrator') },
      EventSourceArn: { 'Fn::ImportValue': Match.stringLikeRegexp('LogEntries') },
      BatchSize: LOG_ENTRIES_QUEUE.batch,
      MaximumBatchingWindowInSeconds: 2,
      ScalingConfig: { MaximumConcurrency: LOG_ENTRIES_QUEUE.calls },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  test('ends before its messages are visible again', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Description: Match.stringLikeRegexp('^Appends entries'),
      Timeout: LOG_ENTRIES_QUEUE.timeout,
    });
    expect(LOG_ENTRIES_QUEUE.timeout * 1_000).toBeGreaterThanOrEqual(2 * PATIENCE_MILLIS);
    expect(LOG_ENTRIES_QUEUE.visibility).toBeGreaterThanOrEqual(3 * LOG_ENTRIES_QUEUE.timeout);
  });

  test('signs checkpoints with the key of logs and with no other key', () => {
    const keys = statementsOf(template, 'Integrator').filter(({ Action }) =>
      [Action].flat().some((action) => /^kms:(?:Sign|GetPublicKey)$/.test(action)),
    );
    expect(keys).toEqual([
      expect.objectContaining({
        Action: 'kms:GetPublicKey',
        Resource: { 'Fn::ImportValue': expect.stringContaining('LogKey') },
      }),
      expect.objectContaining({
        Action: 'kms:Sign',
        Resource: { 'Fn::ImportValue': expect.stringContaining('LogKey') },
        Condition: { StringEquals: { 'kms:SigningAlgorithm': 'ED25519_SHA_512', 'kms:MessageType': 'RAW' } },
      }),
    ]);
  });
});
