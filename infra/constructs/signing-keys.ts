import { Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { SIGNING_KEYS, type SigningKeyName, type Uses } from '#shared/table/uses.ts';
import { roleName } from '../names.ts';
import { KEPT } from './kept.ts';
import { pinLogicalId } from './pin-logical-id.ts';
import type { ServiceFunction } from './service-function.ts';

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
  /** The only function that signs with the key. */
  readonly signer: string;
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
    signer: 'integrator',
  },
  witness: {
    logicalId: 'WitnessKey',
    description: 'Cosigns the checkpoints of logs of other regions',
    keySpec: KeySpec.ECC_NIST_EDWARDS25519,
    signingAlgorithm: 'ED25519_SHA_512',
    messageType: 'RAW',
    setting: 'WITNESS_KEY_ID',
    sid: 'Cosignatures',
    signer: 'witness',
  },
  statement: {
    logicalId: 'StatementKey',
    description: 'Signs statements about artifacts, trails, snapshots and evaluations',
    keySpec: KeySpec.ECC_NIST_P256,
    signingAlgorithm: 'ECDSA_SHA_256',
    messageType: 'DIGEST',
    setting: 'STATEMENT_KEY_ID',
    sid: 'Statements',
    signer: 'statements',
  },
};

export type SigningKeySet = Readonly<Record<SigningKeyName, IKey>>;

/**
 * Returns the name of the role of a function that signs; undefined for every other function. The name is fixed: the policy of
 * the key names the role, and the key exists before the role, in another stack.
 */
export const signingRoleName = (stage: string, functionName: string): string | undefined =>
  Object.values(RULES).some(({ signer }) => signer === functionName) ? roleName(stage, functionName) : undefined;

/** Creates the keys that sign. Their logical ids never change, because verifiers refuse a checkpoint of another key. */
export function createSigningKeys(scope: Construct, stage: string): SigningKeySet {
  const create = (name: SigningKeyName): Key => {
    const { logicalId, description, keySpec } = RULES[name];
    const key = new Key(scope, logicalId, {
      description,
      keySpec,
      keyUsage: KeyUsage.SIGN_VERIFY,
      removalPolicy: KEPT,
      policy: keyPolicy(scope, stage, RULES[name]),
    });
    pinLogicalId(key, logicalId);
    return key;
  };
  return { log: create('log'), witness: create('witness'), statement: create('statement') };
}

/**
 * Lets the account administer a key and read its public half. The key signs in one way only, and only for the role of one
 * function, whose own rights must allow it too. An administrator of the account cannot sign without changing this policy or
 * that role. The principal is the account with a condition, because a policy cannot name a role that does not exist yet.
 */
const keyPolicy = (scope: Construct, stage: string, { signingAlgorithm, messageType, signer }: SigningKeyRule) =>
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
        sid: 'SignInFunction',
        principals: [new AccountRootPrincipal()],
        actions: ['kms:Sign'],
        resources: ['*'],
        conditions: {
          ...onlyThisWay({ signingAlgorithm, messageType }),
          ArnEquals: {
            'aws:PrincipalArn': Stack.of(scope).formatArn({
              service: 'iam',
              region: '',
              resource: 'role',
              resourceName: roleName(stage, signer),
            }),
          },
        },
      }),
    ],
  });

const onlyThisWay = ({ signingAlgorithm, messageType }: Pick<SigningKeyRule, 'signingAlgorithm' | 'messageType'>) => ({
  StringEquals: { 'kms:SigningAlgorithm': signingAlgorithm, 'kms:MessageType': messageType },
});

/**
 * Grants a function the uses of keys that it declares, and puts the ARNs of these keys into its settings.
 *
 * @throws Error if a function declares to sign that the policy of the key does not name
 */
export function grantSigningKeys(signingKeys: SigningKeySet, user: ServiceFunction, { keys = [] }: Uses): void {
  for (const name of SIGNING_KEYS) {
    const signs = keys.includes(`${name}:sign`);
    if (!signs && !keys.includes(`${name}:read`)) continue;
    const { setting, sid } = RULES[name];
    const resources = [signingKeys[name].keyArn];
    user.addEnvironment(setting, signingKeys[name].keyArn);
    user.addToRolePolicy(new PolicyStatement({ sid: `ReadKeyOf${sid}`, actions: ['kms:GetPublicKey'], resources }));
    if (!signs) continue;
    const { signer } = RULES[name];
    if (user.name !== signer) throw new Error(`${user.name} declares to sign with the key ${name} of ${signer}`);
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
