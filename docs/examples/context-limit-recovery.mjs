// context-limit-recovery.mjs: start a worker again with less when its context is full.
//
// One file without dependencies, for executors in JavaScript. The ten exports below have the names, the
// arguments and the results that the documentation of the original tool describes; the code of that tool
// differs. `journal` (the program on PATH, or JOURNAL_BIN) keeps the states; detection and reduction do
// not need it. Without the program no state is kept, and no call throws because of that: an executor sees
// only its own errors.
//
//   import { isContextLimitError, isTimeoutWithPartialOutput, attemptContextRecovery } from './context-limit-recovery.mjs';
//
//   try {
//     return await execute(task);
//   } catch (error) {
//     if (options.contextLimitRecovery) {          // an option of the executor, off by default
//       const recovery = await attemptContextRecovery(task, error, execute);
//       if (recovery.recovered) return recovery.result;
//     }
//     throw error;                                 // of the first attempt
//   }
//
// The rules are those of `journal work detect` and `journal work reduce`; both are tested with one
// table of cases.

import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';

/** The messages by which workers say that their context is full. */
export const CONTEXT_LIMIT_PATTERNS = [
  /context limit reached/i,
  /context window exceeded/i,
  /maximum context length/i,
  /token limit exceeded/i,
  /prompt is too long/i,
  /context_length_exceeded/i,
  /conversation is too long/i,
  /conversation too long/i,
  /exceed context limit/i,
  /exceeds the context window/i,
  /reached its context window limit/i,
  /room in the model's context window/i,
  /exceeds the maximum number of tokens/i,
  /exceed the remaining context window limit/i,
  /input is too long for requested model/i,
];

/** The greatest number of phases of a recovery, each of which tries the task again. */
export const MAX_RECOVERY_RETRIES = 2;

const TIMEOUT = /timeout|timed out|time-out|etimedout|deadline exceeded/i;
const MAX_NESTED = 8; // depth of causes and nested errors that are read
const LONG_PROMPT = 2000; // in characters; shorter prompts and lines are never cut
const SLACK = 32; // a later part may be longer than the first one by one part in SLACK
const GAP = ' … '; // replaces the sentences that were left out of a line
const DAY = 24 * 60 * 60 * 1000;
const LONGEST = 9e12; // the greatest age that `journal` can read, in milliseconds
// What begins each part that follows.
const GOES_ON_WITH = {
  en: '(continued: what comes before this in the task is done)\n\n',
  ko: '(이어서: 이 작업에서 이보다 앞의 내용은 끝났습니다)\n\n',
  ja: '(続き: この作業のこれより前の部分は済んでいます)\n\n',
};
// What ends a shortened prompt.
const MARKS = { en: '\n\n(context reduced)', ko: '\n\n(컨텍스트 축소됨)', ja: '\n\n(コンテキスト縮小済み)' };

// ---- detection ---------------------------------------------------------------------------------

/**
 * Whether an error, a result or a text says that a context is full. Of what the worker wrote only the
 * last line is searched, where agents in print mode put the message: the work itself may be about such messages.
 * @param {Error|object|string} error
 * @returns {boolean}
 */
export function isContextLimitError(error) {
  const { message, output } = failureOf(error);
  const searched = `${message}\n${output.trim().split('\n').at(-1)}`;
  return CONTEXT_LIMIT_PATTERNS.some((pattern) => pattern.test(searched));
}

/**
 * Whether a result or an error is a timeout that left output. Such a worker is assumed to have had
 * too much to read.
 * @param {{success?: boolean, error?: any, message?: string, output?: string, partialOutput?: string}} result
 * @returns {boolean}
 */
export function isTimeoutWithPartialOutput(result) {
  const { message, output } = failureOf(result);
  return output.trim() !== '' && TIMEOUT.test(message);
}

/** The message of a failure, and what the worker wrote before it; both are empty for a success. */
function failureOf(v) {
  const none = { message: '', output: '' };
  if (typeof v === 'string') return { message: v, output: '' };
  if (v === null || typeof v !== 'object') return none;
  if ((v.success === true && v.is_error !== true) || v.is_error === false) return none;
  const all = messages(v, MAX_NESTED);
  if (v.is_error === true && typeof v.result === 'string') all.push(v.result);
  let output = '';
  for (const key of ['stdout', 'output', 'partialOutput']) {
    for (const from of [v.error?.[key], v[key]]) if (typeof from === 'string' && from.trim() !== '') output = from;
  }
  return { message: all.join('\n'), output };
}

/** The messages in a failure, in its causes and in errors nested in it, down to a depth. */
function messages(v, depth) {
  if (typeof v === 'string') return v === '' ? [] : [v];
  if (v === null || typeof v !== 'object' || depth === 0) return [];
  return ['message', 'error', 'code', 'stderr', 'cause'].flatMap((key) => messages(v[key], depth - 1));
}

const isRecoverable = (failure) => isContextLimitError(failure) || isTimeoutWithPartialOutput(failure);

// ---- reduction ---------------------------------------------------------------------------------

/**
 * The task as phase 1 sends it: without its context. Of a prompt over 2000 characters it has the lines of
 * the first half, and a mark at the end. A line under 2000 characters is never cut; of a longer
 * one whole sentences of both ends are kept. The given task is not changed.
 * @param {object} task the original task
 * @returns {object}
 */
export function reduceTaskContext(task) {
  return withoutContext(task).sent;
}

/** What phase 1 sends, and what is left of the prompt. */
function withoutContext({ context, ...reduced }) {
  const [prompt, left] = firstHalf(promptOf(reduced));
  return { sent: { ...reduced, prompt, _recoveryPhase: 1 }, left };
}

/**
 * The task as phase 2 sends it: without context and files, and with the first half of its lines, as
 * many as fit into half of what phase 1 sent. Lines are cut as in phase 1, so a prompt of one line may
 * stay as it is. The given task is not changed.
 * @param {object} task the original task
 * @returns {object}
 */
export function splitTask(task) {
  return firstLines(task).sent;
}

/** What phase 2 sends, and what is left of the prompt. */
function firstLines({ context, files, ...split }) {
  const lines = linesOf(promptOf(split));
  const half = Math.max(1, Math.floor(lines.length / 2));
  const [kept, left] = fit(lines.slice(0, half), Math.floor(length(firstHalf(promptOf(split))[0]) / 2), 0);
  return { sent: { ...split, prompt: kept.join('\n'), _recoveryPhase: 2 }, left: joined([...left, ...lines.slice(half)]) };
}

/**
 * The parts that follow a reduced task until the whole prompt was sent. Each has about the length of the
 * reduced prompt, or up to 2000 characters if that is shorter.
 */
function* partsAfter({ sent, left }) {
  const n = length(sent.prompt);
  const most = Math.max(LONG_PROMPT, n + Math.floor(n / SLACK));
  while (left !== '') {
    const [kept, rest] = fit(linesOf(left), most, 0);
    left = joined(rest);
    yield { sent: { ...sent, prompt: inLanguage(GOES_ON_WITH) + kept.join('\n') }, left };
  }
}

/** Lines as a text, empty when no line has a word. */
function joined(lines) {
  const all = lines.join('\n');
  return all.trim() === '' ? '' : all;
}

/** Describes what a phase left out of a task. */
function droppedBy({ sent }, task) {
  const out = [filled(task.context) && 'the context', filled(task.files) && !filled(sent.files) && 'the files'].filter(Boolean);
  const [before, after] = [length(promptOf(task)), length(sent.prompt)];
  let description = `phase ${sent._recoveryPhase}`;
  if (out.length > 0) description += ` dropped ${out.join(' and ')}`;
  if (after < before) description += `${out.length > 0 ? ',' : ''} sent ${after} of ${before} characters`;
  return description;
}

/** What each phase sends. A phase that leaves out no more than the one before is not among them. */
function phases(task) {
  const all = [];
  for (const next of [withoutContext(task), firstLines(task)]) {
    if (less(next.sent, all.at(-1)?.sent ?? task)) all.push(next);
  }
  return all;
}

const filled = (v) => Boolean(v) && (typeof v !== 'object' || Object.keys(v).length > 0);

/** Whether next leaves out something that last has. */
function less(next, last) {
  const mark = inLanguage(MARKS);
  const bare = (prompt) => (prompt.endsWith(mark) ? prompt.slice(0, -mark.length) : prompt).trim();
  return ['context', 'files'].some((key) => filled(last[key]) && !filled(next[key])) || bare(next.prompt) !== bare(promptOf(last));
}

const promptOf = (task) => (typeof task.prompt === 'string' ? task.prompt : '');

/** The first half of a long prompt, and what is left of it. */
function firstHalf(prompt) {
  const n = length(prompt);
  if (n <= LONG_PROMPT) return [prompt, ''];
  const mark = inLanguage(MARKS);
  const most = Math.floor(n / 2) - length(mark);
  // A heading alone is no task: a line that crosses the half is kept if at most a quarter stands before it.
  const [kept, left] = fit(linesOf(prompt), most, Math.floor(most / 2));
  const half = kept.join('\n') + mark;
  return length(half) < n ? [half, joined(left)] : [prompt, ''];
}

/** The lines of a prompt, from the first one with a word on. */
function linesOf(prompt) {
  const lines = prompt.split('\n');
  while (lines.length > 1 && lines[0].trim() === '') lines.shift();
  return lines;
}

/**
 * The first lines that fit into most characters, and the lines left. A line that does not fit is kept too if
 * at most enough characters stand before it.
 */
function fit(lines, most, enough) {
  const kept = [];
  const left = [];
  for (let used = 0; kept.length < lines.length && used <= most; ) {
    const [line, n, cut] = shorten(lines[kept.length], most - used);
    if (used + n > most && used > enough) break;
    kept.push(line);
    if (cut) left.push(cut);
    used += n + 1; // the line break
  }
  return [kept, [...left, ...lines.slice(kept.length)]];
}

/**
 * A line and its length. A line of LONG_PROMPT characters or more that does not fit is cut to whole sentences
 * of both its ends; then the third result has the sentences between.
 */
function shorten(line, room) {
  const n = length(line);
  if (n <= room || n < LONG_PROMPT) return [line, n];
  const all = sentences(line);
  const [from, to] = middle(all, room - length(GAP));
  const short = all.slice(0, from).join('').replace(/[ \t\r\u00a0\u3000]+$/, '') + GAP + all.slice(to).join('');
  const m = length(short);
  return from < to && m < n ? [short, m, all.slice(from, to).join('')] : [line, n];
}

/** The range of the sentences to leave out so that the others fit. Both ends grow, always the shorter one. */
function middle(all, room) {
  let [from, to] = [1, all.length - 1];
  let [head, tail] = [length(all[0]), length(all[to])];
  while (from < to) {
    const n = length(tail < head ? all[to - 1] : all[from]);
    if (head + tail + n > room) break;
    if (tail < head) {
      tail += n;
      to--;
    } else {
      head += n;
      from++;
    }
  }
  return [from, to];
}

// Where a sentence may end: signs, what closes quotes and brackets, white space.
const ENDING = /([.!?…。！？｡]+)(["'”’)\]」』）】》〉]*)([ \t\r\u00a0\u3000]*)/g;
// A sentence that goes on behind a sign: "approx. 5", "“Why?” he said".
const GOES_ON = /^[\p{Ll}\p{Nd}]/u;
// An abbreviation or a number before a full stop: "No. A", "Dr. Kim", "2. Item".
const BRIEF = /(?:^|[^\p{L}\p{Nd}])(?:\p{Script=Latin}|\p{Lu}\p{Script=Latin}{1,3}|\p{Nd}{1,3}|vs|cf|no)$/u;

/** The sentences of a line; joined they are the line. If an end is doubtful, the sentences on both sides count as one. */
function sentences(line) {
  const all = [];
  let start = 0;
  for (const { 0: { length: size }, 1: signs, 2: closed, 3: blank, index } of line.matchAll(ENDING)) {
    const end = index + size;
    const parted = blank !== '' || (closed === '' && !'.!?…'.includes(signs.at(-1)));
    const short = signs === '.' && BRIEF.test(line.slice(Math.max(0, index - 10), index)); // BRIEF matches at most five characters of up to two units
    if (!parted || short || end === line.length || GOES_ON.test(line.slice(end, end + 2))) continue;
    all.push(line.slice(start, end));
    start = end;
  }
  return [...all, line.slice(start)];
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

// In printable ASCII the number of characters that a person sees is the length of the text.
const isPlain = (s) => /^[\x20-\x7e\n\t]*$/.test(s);

/** The length of a text in characters that a person sees. */
function length(s) {
  if (isPlain(s)) return s.length;
  let n = 0;
  for (const _ of segmenter.segment(s)) n++;
  return n;
}

/** A text in the person's language. */
function inLanguage(texts) {
  const { env } = process;
  const locale = env.JOURNAL_LANG || env.LC_ALL || env.LC_MESSAGES || env.LANG || '';
  return texts[locale.split(/[_\-.@]/)[0].toLowerCase()] ?? texts.en;
}

// ---- recovery ----------------------------------------------------------------------------------

/**
 * Tries a task again after its first attempt failed, if that failure is a full context or a
 * timeout with partial output; after other failures it tries nothing. Phase 2 follows any failure of
 * phase 1, thrown or a result {success: false}, unless a part that followed phase 1 failed. A phase that can
 * leave out nothing is skipped: the same task would fail again. There is no wait between attempts. When a
 * phase has succeeded, what it left out of the prompt is sent in parts, and the results are joined. With
 * sendRest false notAsked returns it instead, and the task is not recovered: half a task is none.
 * @param {object} task {id, prompt, type, context, files, …}, as it was given
 * @param {Error|object} error how the first attempt failed
 * @param {(task: object) => Promise<any>} executeFn makes an attempt
 * @param {{taskId?: string, saveState?: boolean, sendRest?: boolean, states?: string}} [options]
 *   states is a folder for the states' files, as journal work record --states
 * @returns {Promise<{recovered: boolean, result: any, phase: number, retries: number, partialResults: {phase: number, output: string}[], dropped: string[], notAsked: string}>}
 *   phase is the last one that was tried, 0 for none; dropped describes what each phase left out
 */
export async function attemptContextRecovery(task, error, executeFn, options = {}) {
  const taskId = String(options.taskId || task.id || randomBytes(4).toString('hex'));
  const keep = keeper(options.saveState !== false, options.states);
  const outcome = { recovered: false, result: null, phase: 0, retries: 0, partialResults: [], dropped: [], notAsked: '' };
  // Adds the output of a failure to the partial results, and returns the failure for the state.
  const noted = (phase, failure) => {
    const { output } = failureOf(failure);
    if (output !== '') outcome.partialResults.push({ phase, output });
    return failureText(failure, output);
  };
  const original = noted(0, error);
  if (!isRecoverable(error)) return outcome;

  keep('start', { ...task, prompt: promptOf(task), taskId });
  keep('error', { taskId, ...original });
  const results = []; // of the parts that succeeded
  // Sends one part and returns the number of results, 0 after a failure.
  const sendPart = async (reduced, part) => {
    const { sent: { ...sent }, left: notAsked } = reduced;
    const phase = sent._recoveryPhase;
    keep('phase', { taskId, phase, part, promptLength: length(sent.prompt), notAsked });
    outcome.notAsked = notAsked;
    let failure;
    try {
      const result = await executeFn(sent);
      if (!(result && typeof result === 'object' && result.success === false)) {
        keep('phase', { taskId, phase, part, success: true });
        return results.push(result);
      }
      failure = result;
    } catch (thrown) {
      failure = thrown;
    }
    const parts = results.map((result) => ({ phase, output: outputOf(result) }));
    outcome.partialResults.push(...parts.filter(({ output }) => output !== ''));
    keep('phase', { taskId, phase, part, success: false, ...noted(phase, failure) });
    return 0;
  };
  for (const reduced of phases(task)) {
    outcome.dropped.push(droppedBy(reduced, task));
    outcome.phase = reduced.sent._recoveryPhase;
    outcome.retries++;
    let good = await sendPart(reduced, 0);
    if (!good) continue;
    for (const next of options.sendRest === false ? [] : partsAfter(reduced)) {
      good = await sendPart(next, results.length);
      if (!good) break;
    }
    if (!good) break; // phase 2 would do again what phase 1 has done
    Object.assign(outcome, { recovered: outcome.notAsked === '', result: joinResults(results) });
    keep('outcome', { taskId, phase: outcome.phase, success: true, result: outcome.result });
    await keep.done();
    return outcome;
  }
  keep('outcome', { taskId, phase: outcome.phase, success: false, message: original.message });
  await keep.done();
  return outcome;
}

/** The results of the parts of a task as one: the last one, with the outputs of all parts. */
function joinResults(results) {
  if (results.length === 1) return results[0];
  const output = results.map(outputOf).reduce((all, next) => all + (all === '' || all.endsWith('\n') ? '' : '\n') + next);
  const last = results.at(-1);
  return last && typeof last === 'object' ? { ...last, output } : output;
}

/** The output in a worker's result, as a text. */
function outputOf(result) {
  const output = result && typeof result === 'object' ? result.output : result;
  return output === undefined || output === null ? '' : String(output);
}

/** A failure as `journal work record` reads it. */
function failureText(failure, output) {
  return { message: failureOf(failure).message || String(failure?.error ?? failure), output };
}

// ---- states ------------------------------------------------------------------------------------

/**
 * Keeps the state of a task in the log, and also writes it as a file under .omcm/state/context-recovery.
 * @param {string} taskId
 * @param {object} state
 * @returns {string} the path of the file, empty when nothing was kept
 */
export function saveRecoveryState(taskId, state) {
  const input = attempt(() => JSON.stringify({ ...state, taskId: String(taskId) }));
  const reply = input === undefined ? undefined : journal(['record', 'state', '--write'], input);
  return reply?.path ?? '';
}

/**
 * The state of a task, null when there is none.
 * @param {string} taskId
 * @returns {object|null}
 */
export function loadRecoveryState(taskId) {
  return journal(['status', '--json', '--', String(taskId)], '') ?? null;
}

/**
 * Forgets the states whose last change is older than an age.
 * @param {number} [maxAgeMs] the age in milliseconds; 24 hours by default
 * @returns {number} how many there were
 */
export function cleanupStaleStates(maxAgeMs = DAY) {
  const age = Number.isFinite(maxAgeMs) ? Math.min(Math.max(0, Math.round(maxAgeMs)), LONGEST) : DAY;
  return journal(['gc', '--json', '--older', `${age}ms`], '')?.expired ?? 0;
}

const program = () => process.env.JOURNAL_BIN || 'journal';
const LIMIT = 256 * 1024 * 1024; // of what `journal` prints, in bytes

/** Runs `journal work` and returns the JSON that it prints; undefined if the program is missing or fails. */
function journal(args, input) {
  return attempt(() => {
    const run = spawnSync(program(), ['work', ...args], { input, encoding: 'utf8', maxBuffer: LIMIT, stdio: ['pipe', 'pipe', 'ignore'] });
    return run.status === 0 ? JSON.parse(run.stdout) : undefined;
  });
}

/** The result of f, undefined if it throws. */
function attempt(f) {
  try {
    return f();
  } catch {
    return undefined;
  }
}

/** Hands steps to `journal work record`, one after the other. Only done waits for them. */
function keeper(wanted, states) {
  let last = Promise.resolve(wanted); // becomes false when the program is missing
  const keep = (step, doc) => {
    const input = attempt(() => JSON.stringify(doc)); // at once, because an executor may change its task
    last = last.then((there) => there && input !== undefined && record(step, input, states));
  };
  keep.done = () => last;
  return keep;
}

/** Records one step. The result is false if the program is missing; a step that it refuses is not recorded. */
function record(step, input, states) {
  return new Promise((resolve) => {
    const child = execFile(program(), ['work', 'record', step, ...(states ? ['--states', states] : [])], { maxBuffer: LIMIT }, (error) => resolve(error?.code !== 'ENOENT'));
    child.on('error', () => resolve(false));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
