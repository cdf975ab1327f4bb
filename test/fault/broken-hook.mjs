// A local hook that is broken for one tool: what it guards must never be called.
const guarded = 'remote.denied';

const evaluate = ({ toolId }) => {
  if (toolId === guarded) throw new Error('This hook is broken.');
  return { decision: 'Allowed' };
};

export default [{ id: 'broken', evaluate }];
