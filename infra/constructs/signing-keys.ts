import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { SIGNING_KEYS, type SigningKeyName, type Uses } from '#shared/table/uses.ts';
import { pinLogicalId } from './pin-logical-id.ts';

interface SigningKeyRule {
  readonly logicalId: string;
  readonly description: string;
  readonly keySpec: KeySpec;
  /** The only way in which the key signs. Another algorithm would make signatures that verifiers do not accept. */
  readonly signingAlgorithm: string;
  readonly messageType: 'RAW' | 'DIGEST';
  /** The function's setting with the ARN of the key. */
  readonly setting: string;
  /** Begins the ids of statements about the key. */
  readonly sid: string;
}

/** The keys that sign (rules/log.md#signing-keys). */
const RULES: Readonly<Record<SigningKeyName, SigningKeyRule>> = {
  log: {
    logicalId: 'LogKey',
    description: 'Signs the checkpoints of the logs of all organizations',
    keySpec: KeySpec.ECC_NIST_EDWARDS25519,
    signingAlgorithm: 'ED25519_SHA_512',
    messageType: 'RAW',
    setting: 'LOG_KEY_ID',
    sid: 'Checkpoints',
  },
  witness: {
    logicalId: 'WitnessKey',
    description: 'Cosigns the checkpoints of logs of other regions',
    keySpec: KeySpec.ECC_NIST_EDWARDS25519,
    signingAlgorithm: 'ED25519_SHA_512',
    messageType: 'RAW',
    setting: 'WITNESS_KEY_ID',
    sid: 'Cosignatures',
  },
  statement: {
    logicalId: 'StatementKey',
    description: 'Signs statements about artifacts, trails, snapshots and evaluations',
    keySpec: KeySpec.ECC_NIST_P256,
    signingAlgorithm: 'ECDSA_SHA_256',
    messageType: 'DIGEST',
    setting: 'STATEMENT_KEY_ID',
    sid: 'Statements',
  },
};

export type SigningKeySet = Readonly<Record<SigningKeyName, IKey>>;

/** Names of the roles of functions: CloudFormation begins them with the name of the stack, of which it can cut off the end. */
const FUNCTION_ROLES = 'delivery-evidence-*';

/** Creates the keys that sign. Their logical ids never change, because verifiers refuse a checkpoint of another key. */
export function createSigningKeys(scope: Construct): SigningKeySet {
  const create = (name: SigningKeyName): Key => {
    const { logicalId, description, keySpec } = RULES[name];
    const key = new Key(scope, logicalId, {
      description,
      keySpec,
      keyUsage: KeyUsage.SIGN_VERIFY,
      removalPolicy: RemovalPolicy.RETAIN,
      policy: keyPolicy(scope, RULES[name]),
    });
    pinLogicalId(key, logicalId);
    return key;
  };
  return { log: create('log'), witness: create('witness'), statement: create('statement') };
}

/**
 * Lets the account administer a key and read its public half. The key signs in one way only, and only for roles of our
 * functions whose own rights allow it. An administrator of the account cannot sign without changing this policy.
 */
const keyPolicy = (scope: Construct, { signingAlgorithm, messageType }: SigningKeyRule) =>
  new PolicyDocument({
    statements: [
      new PolicyStatement({
        sid: 'AdministerKey',
        principals: [new AccountRootPrincipal()],
        actions: [
          'kms:CancelKeyDeletion',
          'kms:DescribeKey',
          'kms:DisableKey',
          'kms:EnableKey',
          'kms:GetKeyPolicy',
          'kms:GetPublicKey',
          'kms:List*',
          'kms:PutKeyPolicy',
          'kms:ScheduleKeyDeletion',
          'kms:TagResource',
          'kms:UntagResource',
          'kms:UpdateKeyDescription',
        ],
        resources: ['*'],
      }),
      new PolicyStatement({
        sid: 'SignInFunctions',
        principals: [new AccountRootPrincipal()],
        actions: ['kms:Sign'],
        resources: ['*'],
        conditions: {
          ...onlyThisWay({ signingAlgorithm, messageType }),
          ArnLike: {
            'aws:PrincipalArn': Stack.of(scope).formatArn({
              service: 'iam',
              region: '',
              resource: 'role',
              resourceName: FUNCTION_ROLES,
            }),
          },
        },
      }),
    ],
  });

const onlyThisWay = ({ signingAlgorithm, messageType }: Pick<SigningKeyRule, 'signingAlgorithm' | 'messageType'>) => ({
  StringEquals: { 'kms:SigningAlgorithm': signingAlgorithm, 'kms:MessageType': messageType },
});

/** Grants a function the uses of keys that it declares, and puts the ARNs of these keys into its settings. */
export function grantSigningKeys(signingKeys: SigningKeySet, user: LambdaFunction, { keys = [] }: Uses): void {
  for (const name of SIGNING_KEYS) {
    const signs = keys.includes(`${name}:sign`);
    if (!signs && !keys.includes(`${name}:read`)) continue;
    const { setting, sid } = RULES[name];
    const resources = [signingKeys[name].keyArn];
    user.addEnvironment(setting, signingKeys[name].keyArn);
    user.addToRolePolicy(new PolicyStatement({ sid: `ReadKeyOf${sid}`, actions: ['kms:GetPublicKey'], resources }));
    if (!signs) continue;
    user.addToRolePolicy(
      new PolicyStatement({
        sid: `Sign${sid}`,
        actions: ['kms:Sign'],
        resources,
        conditions: onlyThisWay(RULES[name]),
      }),
    );
  }
}
