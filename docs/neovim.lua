-- Sprintwright in Neovim (tried with 0.7.2). In your init.lua:
--
--   vim.g.sprintwright_trusted = { "~/src" }  -- folders in which it may start agents, with all below them
--   dofile("/path/to/sprintwright/docs/neovim.lua")
--
--   :SprintwrightRun dev Add a --json flag    starts a run; where it is stands in the last line
--   :SprintwrightAnswer Use SQLite            answers what it asks (Tab: the choices); alone: shows the whole question;
--                                             :SprintwrightAnswer! goes on without an answer
--   :SprintwrightCancel                       cancels it; you can go on with it later:
--   :SprintwrightResume                       goes on with the newest run; :SprintwrightContinue does when it pauses
--                                             because a file was not approved, and you have mended it
--
-- Findings are diagnostics: vim.diagnostic.setqflist() lists them, vim.lsp.buf.code_action() mends or dismisses one.
-- In workflow files you get diagnostics, hover and, with CTRL-X CTRL-O, completion.
-- Where `sprintwright` is not on your PATH:  vim.g.sprintwright_cmd = { "/path/to/.venv/bin/sprintwright", "lsp" }
-- The server runs where there is a .sprintwright folder, and from the first command on. More: docs/protocol.md

local M = { runs = {} } -- runs of this Neovim that are at work, each with the question that it asks
local root = vim.fn.getcwd()
local is_new = vim.fn.has("nvim-0.11") == 1
local id -- of the client

local function say(text, level)
  vim.notify("Sprintwright: " .. text, level or vim.log.levels.INFO)
end

-- One line, so short that Neovim does not ask for Enter, and not while you type a command. What is to be kept waits.
local function tell(text, keep)
  if vim.api.nvim_get_mode().mode:match("^[cr]") then
    return keep and vim.defer_fn(function() tell(text, keep) end, 300)
  end
  vim.cmd("redraw")
  local line = vim.fn.printf("%." .. math.max(vim.o.columns - 12, 20) .. "S", "Sprintwright" .. text:gsub("%c+", " "))
  vim.api.nvim_echo({ { line } }, keep, {})
end

local function is_trusted()
  for _, folder in ipairs(vim.g.sprintwright_trusted or {}) do
    local path = vim.fn.resolve(vim.fn.fnamemodify(vim.fn.expand(folder), ":p")):gsub("/+$", "")
    if vim.startswith(vim.fn.resolve(root) .. "/", path .. "/") then
      return true
    end
  end
  return false
end

-- The newest run that asks something, and its question.
local function asked()
  local runs = vim.tbl_filter(function(run) return M.runs[run].question end, vim.tbl_keys(M.runs))
  table.sort(runs)
  local run = runs[#runs]
  return run, run and M.runs[run].question
end

-- What the server sends

local function ask()
  return vim.empty_dict() -- "not now": Neovim must answer at once. The question stays open, and `changed` tells of it.
end

local function changed(_, run)
  local before, question = M.runs[run.runId], run.questions[1]
  if run.owner == "here" then
    M.newest, M.runs[run.runId] = run.runId, { question = question }
    if question and not (before and before.question and before.question.key == question.key) then
      local choices = vim.trim(":SprintwrightAnswer " .. table.concat(question.choices, "|"))
      tell(" asks (" .. choices .. "): " .. question.text, true)
    end
  elseif before then
    M.runs[run.runId] = nil
    local findings = run.openFindings > 0 and (", open findings: " .. run.openFindings) or ""
    tell(vim.trim(": the run is " .. run.status:gsub("_", " ") .. findings .. ". " .. run.reason), true)
    for _, buffer in ipairs(vim.api.nvim_list_bufs()) do -- agents changed files that you see; Neovim has its own way
      if vim.api.nvim_buf_is_loaded(buffer) and not vim.bo[buffer].modified and vim.bo[buffer].buftype == "" then
        vim.cmd("silent! checktime " .. buffer) -- with those that you changed, too
      end
    end
  end
end

local function progress(problem, params, ...)
  local value = params.value
  if value.kind == "begin" and next(M.runs) then -- it may come when a short run is over
    tell(": " .. value.title)
  elseif value.kind == "report" and not asked() then
    tell(": " .. value.message .. (value.percentage and (" (" .. value.percentage .. " %)") or ""))
  end
  return vim.lsp.handlers["$/progress"](problem, params, ...)
end

-- The server, and its commands

-- Files of the folder are open for the server too: findings follow your edits.
local function attach(buffer)
  local path = vim.api.nvim_buf_get_name(buffer)
  local is_workflow = path:match("sprintwright/workflows/[^/]+$")
  if not id or vim.bo[buffer].buftype ~= "" or not (is_workflow or vim.startswith(path, root .. "/")) then
    return
  end
  vim.lsp.buf_attach_client(buffer, id)
  if is_workflow then
    vim.bo[buffer].omnifunc = "v:lua.vim.lsp.omnifunc"
  end
end

local function start()
  local config = {
    name = "sprintwright",
    cmd = vim.g.sprintwright_cmd or { "sprintwright", "lsp" },
    root_dir = root,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = vim.fn.fnamemodify(root, ":t") } },
    init_options = { trusted = is_trusted(), questions = true, protocol = 1 },
    settings = { sprintwright = vim.empty_dict() },
    flags = { exit_timeout = 5000 }, -- when you quit: agents are ended, and runs are left resumable
    handlers = {
      ["$/progress"] = progress,
      ["sprintwright/run/didChange"] = changed,
      ["sprintwright/question/ask"] = ask,
      ["sprintwright/permission/request"] = ask,
    },
    commands = {
      ["sprintwright.openFindings"] = function(given)
        local path = vim.uri_to_fname(given.arguments[1].uri)
        if vim.fn.filereadable(path) == 0 then
          return say("the report is written when the run stops")
        end
        vim.cmd("edit " .. vim.fn.fnameescape(path))
      end,
      ["sprintwright.finding.fix"] = function(given) M.command("finding.fix", given.arguments[1]) end,
      ["sprintwright.finding.dismiss"] = function(given) M.command("finding.dismiss", given.arguments[1]) end,
    },
  }
  M.runs = {}
  if is_new then
    id = vim.lsp.start(config, { attach = false })
  else
    id = vim.lsp.start_client(config)
  end
  vim.tbl_map(attach, vim.tbl_filter(vim.api.nvim_buf_is_loaded, vim.api.nvim_list_bufs()))
end

local function server()
  local function found()
    return id and vim.lsp.get_client_by_id(id)
  end
  if not found() then
    start()
  end
  vim.wait(10000, function() return not found() or found().initialized end, 20)
  return found()
end

-- Run one of the server's commands. Refusals are shown; what needs your word is asked for, and sent again with it.
function M.command(name, argument)
  local client = server()
  if not client then
    return say("the server does not run; vim.g.sprintwright_cmd is how it is started", vim.log.levels.ERROR)
  end
  local function again(more)
    M.command(name, vim.tbl_extend("force", argument, more))
  end
  local function answered(problem, result)
    local data = problem and type(problem.data) == "table" and problem.data or {}
    if data.code == "consent_needed" then
      local items = "\n- " .. table.concat(data.items, "\n- ")
      if vim.fn.confirm("Files of this folder ask for more than a prompt:" .. items, "&Agree\n&No", 2) == 1 then
        again({ consent = data.hash })
      end
    elseif data.code == "needs_choice" then
      local field = data.artifacts and "artifacts" or "interrupted"
      local choices = data.artifacts and { "mine", "back" } or { "redo", "keep", "stop" }
      vim.ui.select(choices, { prompt = problem.message }, function(chosen)
        return chosen and again({ [field] = chosen })
      end)
    elseif data.code == "untrusted" then
      say("put this folder in vim.g.sprintwright_trusted, and start Neovim again", vim.log.levels.ERROR)
    elseif problem then
      say(problem.message, vim.log.levels.ERROR)
    elseif (result.message or "") ~= "" and result.effect ~= "advanced" then
      say(result.message)
    end
  end
  local request = is_new and function(...) return client:request(...) end or client.request
  request("workspace/executeCommand", { command = "sprintwright." .. name, arguments = { argument } }, answered)
end

-- What you type

local function command(name, action, options)
  vim.api.nvim_create_user_command("Sprintwright" .. name, action, options)
end

command("Run", function(given)
  local workflow, task = given.args:match("^(%S+)%s+(.+)$")
  if not workflow then
    return say("say which workflow, and what is to be done", vim.log.levels.ERROR)
  end
  local token = vim.fn.getpid() .. "-" .. vim.loop.hrtime()
  M.command("workflow.start", { workflow = workflow, task = task, startToken = token })
end, { nargs = "+" })

command("Answer", function(given)
  local run, question = asked()
  if not run then
    return say("nothing is asked")
  end
  local function answer(text)
    if text then
      M.command("run.answer", { runId = run, question = question.key, text = text })
    end
  end
  if given.bang or given.args ~= "" then
    answer(given.args)
  elseif #question.choices > 0 then
    vim.ui.select(question.choices, { prompt = question.text }, answer)
  else
    vim.ui.input({ prompt = question.text .. "\n> " }, answer)
  end
end, {
  nargs = "*",
  bang = true,
  complete = function()
    local _, question = asked()
    return question and question.choices or {}
  end,
})

for name, verb in pairs({ Cancel = "run.cancel", Continue = "run.continue", Resume = "workflow.resume" }) do
  command(name, function()
    M.command(verb, { runId = M.newest or "last" })
  end, {})
end

vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile" }, {
  group = vim.api.nvim_create_augroup("sprintwright", {}),
  callback = function(event) attach(event.buf) end,
})

if vim.fn.isdirectory(root .. "/.sprintwright") == 1 then
  start()
end

return M
