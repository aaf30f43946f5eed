@echo off
rem Runs the checks of Python code and the tests, on Windows without bash. Arguments go to pytest.
setlocal
call "%~dp0env.cmd" test || exit /b 1
set "PATH=%OVERTRICK_BIN%;%PATH%"
cd /d "%~dp0.."
ruff format --check . || exit /b 1
ruff check . || exit /b 1
mypy || exit /b 1
python docs\samples.py || exit /b 1
lint-imports || exit /b 1
pytest -n auto --dist worksteal %*
exit /b %ERRORLEVEL%
