@echo off
rem Runs overtrick with the given arguments, on Windows without bash; without any, the demo: a simulated club evening.
setlocal
call "%~dp0env.cmd" || exit /b 1
if "%~1"=="" (
  "%OVERTRICK_BIN%\overtrick.exe" demo
) else (
  "%OVERTRICK_BIN%\overtrick.exe" %*
)
exit /b %ERRORLEVEL%
