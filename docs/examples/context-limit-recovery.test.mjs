// Run by `go test ./cmd/journal -run TestS4_1JavaScript`, or by hand with node --test: then the tests
// that need the program are skipped unless JOURNAL_BIN and JOURNAL_DIR say where it is and may write.
// States are those of the working directory's project.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import * as recovery from './context-limit-recovery.mjs';

const { attemptContextRecovery, cleanupStaleStates, isContextLimitError, isTimeoutWithPartialOutput, loadRecoveryState } = recovery;
const cases = JSON.parse(readFileSync(new URL('../../journal/worker/testdata/cases.json', import.meta.url)));
const text = (pieces) => pieces.map(([piece, times]) => piece.repeat(times)).join('');
const withProgram = { skip: process.env.JOURNAL_BIN && process.env.JOURNAL_DIR ? false : 'no program' };

test('the ten exports', () => {
  assert.deepEqual(Object.keys(recovery).sort(), [
    'CONTEXT_LIMIT_PATTERNS', 'MAX_RECOVERY_RETRIES', 'attemptContextRecovery', 'cleanupStaleStates', 'isContextLimitError',
    'isTimeoutWithPartialOutput', 'loadRecoveryState', 'reduceTaskContext', 'saveRecoveryState', 'splitTask',
  ]);
  assert.equal(recovery.MAX_RECOVERY_RETRIES, 2);
});

describe('detection (S4.1)', () => {
  for (const { name, input, pattern } of cases.detect) {
    test(name, () => {
      assert.equal(isTimeoutWithPartialOutput(input) && !isContextLimitError(input), pattern === 'timeout with partial output');
      assert.equal(isContextLimitError(input), pattern !== null && pattern !== 'timeout with partial output');
    });
  }
  test('errors', () => {
    assert.equal(isContextLimitError(new Error('Context limit reached')), true);
    assert.equal(isContextLimitError(new Error('x', { cause: new Error('prompt is too long') })), true);
    for (const nothing of [null, undefined, 7, new Error('random')]) {
      assert.equal(isContextLimitError(nothing), false);
      assert.equal(isTimeoutWithPartialOutput(nothing), false);
    }
    assert.equal(isTimeoutWithPartialOutput(Object.assign(new Error('timeout after 5ms'), { partialOutput: 'p' })), true);
  });
});

describe('reduction (S4.2)', () => {
  for (const { name, lang, prompt, phase1, phase2 } of cases.reduce) {
    test(name, () => {
      process.env.JOURNAL_LANG = lang;
      const task = Object.freeze({ id: 't', prompt: text(prompt), context: 'c', files: ['f'], own: 1 });
      assert.deepEqual(recovery.reduceTaskContext(task), { id: 't', prompt: text(phase1), files: ['f'], own: 1, _recoveryPhase: 1 });
      assert.deepEqual(recovery.splitTask(task), { id: 't', prompt: text(phase2), own: 1, _recoveryPhase: 2 });
    });
  }
});

// 518 lines with 15000 characters.
const prompt = `${'p'.repeat(28)}\n`.repeat(517) + 'p'.repeat(7);
const task = { id: 'task-1', prompt, type: 'executor', context: 'c', files: ['f'] };
const full = () => Object.assign(new Error('Context limit reached'), { partialOutput: 'first' });

// Both where `journal` is missing and where it is: what an executor sees is the same.
for (const [where, program] of [['without journal', '/nowhere/journal'], ['with journal', process.env.JOURNAL_BIN]]) {
  describe(`recovery ${where}`, { skip: program ? false : 'no program' }, () => {
    const using = (f) => async () => {
      process.env.JOURNAL_LANG = 'en';
      const before = process.env.JOURNAL_BIN;
      process.env.JOURNAL_BIN = program;
      try {
        await f();
      } finally {
        if (before === undefined) delete process.env.JOURNAL_BIN;
        else process.env.JOURNAL_BIN = before;
      }
    };
    test('phase 1 helps', using(async () => {
      const sent = [];
      const execute = async (t) => (sent.push(t), { success: true, output: `ok ${sent.length}` });
      const got = await attemptContextRecovery(task, full(), execute);
      assert.deepEqual(got, {
        recovered: true, result: { success: true, output: 'ok 1\nok 2' }, phase: 1, retries: 1, partialResults: [{ phase: 0, output: 'first' }],
        dropped: ['phase 1 dropped the context, sent 7500 of 15000 characters'], notAsked: '',
      });
      assert.deepEqual(sent.map((t) => [t._recoveryPhase, t.prompt.length, t.context]), [[1, 7500, undefined], [1, 7575, undefined]]);
    }));
    test('half a task is no recovered task', using(async () => {
      const steps = { id: 'steps', prompt: '1\n2\n3\n4\n5\n6\n7\n8' };
      const got = await attemptContextRecovery(steps, full(), async () => 'done', { sendRest: false });
      assert.deepEqual([got.recovered, got.result, got.notAsked], [false, 'done', '5\n6\n7\n8']);
      const sent = [];
      const all = await attemptContextRecovery(steps, full(), async (t) => (sent.push(t.prompt), `did ${sent.length}`));
      assert.deepEqual([all.recovered, all.result, all.notAsked], [true, 'did 1\ndid 2', '']);
      assert.match(sent[1], /^\(continued: .*\)\n\n5\n6\n7\n8$/);
      const broken = await attemptContextRecovery(steps, full(), async (t) => (t.prompt.startsWith('(') ? { success: false, error: 'boom' } : 'half'));
      assert.deepEqual([broken.recovered, broken.result, broken.partialResults.at(-1)], [false, null, { phase: 2, output: 'half' }]);
    }));
    test('a thrown error and a result {success:false} are failures alike', using(async () => {
      const sent = [];
      const got = await attemptContextRecovery(task, full(), async (t) => {
        sent.push([t._recoveryPhase, t.prompt.length]);
        if (t._recoveryPhase === 1) return { success: false, error: 'no network', output: 'second' };
        throw Object.assign(new Error('token limit exceeded'), { partialOutput: 'third' });
      });
      assert.deepEqual(sent, [[1, 7500], [2, 3740]]);
      assert.deepEqual(got, {
        recovered: false, result: null, phase: 2, retries: 2,
        partialResults: [{ phase: 0, output: 'first' }, { phase: 1, output: 'second' }, { phase: 2, output: 'third' }],
        dropped: ['phase 1 dropped the context, sent 7500 of 15000 characters', 'phase 2 dropped the context and the files, sent 3740 of 15000 characters'],
        notAsked: got.notAsked,
      });
    }));
    test('other failures are not tried again', using(async () => {
      const never = () => assert.fail('tried again');
      assert.equal((await attemptContextRecovery(task, new Error('no network'), never)).recovered, false);
      assert.equal((await attemptContextRecovery(task, new Error('timeout'), never)).retries, 0);
    }));
    test('a task without a name, without a state', using(async () => {
      const got = await attemptContextRecovery({ prompt: 'x', context: 'c' }, full(), async () => 'text', { saveState: false });
      assert.equal(got.result, 'text');
    }));
    test('a task that stays as it is is not sent again', using(async () => {
      const never = () => assert.fail('tried again');
      for (const more of [{}, { context: '', files: [] }]) {
        const got = await attemptContextRecovery({ id: 'short', prompt: 'Delete the old backups, but never the ones of customer 42', ...more }, full(), never);
        assert.deepEqual(got, { recovered: false, result: null, phase: 0, retries: 0, partialResults: [{ phase: 0, output: 'first' }], dropped: [], notAsked: '' });
      }
    }));
    test('a phase that leaves out nothing is passed over', using(async () => {
      for (const [more, phase] of [[{ context: 'c' }, 1], [{ files: ['f'] }, 2], [{ prompt: 'one\ntwo' }, 2]]) {
        const got = await attemptContextRecovery({ id: 'less', prompt: 'one', ...more }, full(), async (t) => (Object.assign(t, { prompt: '' }), { success: false, error: 'no' }));
        assert.deepEqual([got.phase, got.retries], [phase, 1]);
      }
    }));
    test('states never throw', using(async () => {
      const circular = {};
      circular.self = circular;
      assert.equal(recovery.saveRecoveryState('t', circular), '');
      assert.equal(loadRecoveryState('nobody'), null);
      assert.equal(typeof cleanupStaleStates(), 'number');
    }));
  });
}

describe('states (S4.3, S4.4)', withProgram, () => {
  test('of a recovery', async () => {
    process.env.JOURNAL_LANG = 'en';
    const got = await attemptContextRecovery({ ...task, id: 'kept' }, new Error('Context limit reached'), async (t) => {
      if (t._recoveryPhase === 1) throw new Error('context window exceeded');
      return { success: true, output: '...' };
    });
    assert.equal(got.recovered, true);
    const { timestamps, ...state } = loadRecoveryState('kept');
    assert.deepEqual(state, {
      taskId: 'kept',
      originalTask: { id: 'kept', prompt: prompt.slice(0, 500), type: 'executor', hasContext: true, hasFiles: true, promptLength: 15000 },
      error: { message: 'Context limit reached', pattern: 'context limit reached' },
      recovery: {
        phase1: { attempted: true, success: false, reducedPromptLength: 7500, error: 'context window exceeded' },
        phase2: { attempted: true, success: true, splitPromptLength: 3740, result: { success: true, output: '...\n...\n...\n...' } },
      },
      recovered: true, finalPhase: 2, totalRetries: 2, partialResults: [],
    });
    assert.deepEqual(Object.keys(timestamps), ['started', 'phase1Start', 'phase1End', 'phase2Start', 'phase2End', 'completed']);
    for (const at of Object.values(timestamps)) assert.equal(new Date(at).toISOString(), at);
  });
  test('of an executor that keeps its own', () => {
    const state = {
      taskId: 'own', originalTask: { id: 'o', prompt: 'p', type: '', hasContext: false, hasFiles: false, promptLength: 1 },
      error: { message: 'Context limit reached', pattern: 'context limit reached' },
      recovery: { phase1: { attempted: true, success: false, reducedPromptLength: 1, error: 'e' }, phase2: { attempted: false, success: false, splitPromptLength: 0 } },
      recovered: false, finalPhase: 1, totalRetries: 1, partialResults: ['some', { other: 1 }],
      timestamps: { started: new Date().toISOString(), phase1Start: null, phase1End: null, phase2Start: null, phase2End: null, completed: null },
    };
    const path = recovery.saveRecoveryState('own', state);
    assert.deepEqual(loadRecoveryState('own'), state);
    assert.deepEqual(JSON.parse(readFileSync(path)), state);
  });
  test('a name is data', () => {
    const path = recovery.saveRecoveryState('../../../../escaped', {});
    assert.equal(existsSync(path), true);
    assert.match(path, /context-recovery\/x-[0-9a-f]{16}\.json$/);
    assert.equal(loadRecoveryState('../../../../escaped').taskId, '../../../../escaped');
    assert.equal(loadRecoveryState('--help'), null);
  });
  test('what is stale goes', () => {
    assert.equal(cleanupStaleStates(), 0);
    assert.ok(cleanupStaleStates(0) >= 2);
    assert.equal(loadRecoveryState('own'), null);
  });
});
